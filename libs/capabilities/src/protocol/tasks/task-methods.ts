import { RPC_INTERNAL_ERROR } from '../../errors/rpc-codes.js';
import type { TaskRecord } from '../../execution/task-store.js';
import { fitsRequest } from '../asking-channel.js';
import type { CallSite } from '../call-site.js';
import { admitCall } from '../governed-call.js';
import type { McpServer } from '../mcp-server.js';
import { ownerKey } from '../owner-key.js';
import { ReplayChannel } from '../replay-channel.js';
import { readResponses } from '../request-state.js';
import { invalidParams } from '../rpc-error.js';
import type { ToolEntry } from '../tool-entry.js';
import { driveTask, runMs } from './drive-task.js';
import { moveTask } from './task-moves.js';
import { membersOf, taskDetail } from './task-view.js';
import { declaresTasks, tasksMissing } from './tasks-extension.js';

const ACKNOWLEDGED = Object.freeze({ members: '' });

/** `tasks/get`. */
export async function getTask(server: McpServer, site: CallSite): Promise<string> {
  const task = await ownTask(server, site);
  return server.results.complete({ members: membersOf(taskDetail(task)) });
}

/** `tasks/cancel`: an empty acknowledgement, also for a task that has ended. */
export async function cancelTask(server: McpServer, site: CallSite): Promise<string> {
  const task = await ownTask(server, site);
  await moveTask(server, task, () => ({ status: 'cancelled' }));
  server.running.get(task.taskId)?.abort();
  return server.results.complete(ACKNOWLEDGED);
}

/** `tasks/update`: takes answers; the one that completes them lets the task go on. */
export async function updateTask(server: McpServer, site: CallSite): Promise<string> {
  const task = await ownTask(server, site);
  const responses = readResponses(site.call.params['inputResponses']);
  const entry = server.tools.get(task.tool);
  if (entry === undefined) throw invalidParams('Unknown task');
  const runUntil = server.ports.clock.now() + runMs(entry);
  const moved = await moveTask(server, task, (current) => answered(current, responses, runUntil));
  if (moved?.status === 'working') await resume(server, site, entry, moved);
  return server.results.complete(ACKNOWLEDGED);
}

/** The caller's own task on this endpoint. Throws {@link RpcError} −32021 without the extension, −32602 else. */
async function ownTask(server: McpServer, site: CallSite): Promise<TaskRecord> {
  if (!declaresTasks(site)) throw tasksMissing();
  const { taskId } = site.call.params;
  if (typeof taskId !== 'string') throw invalidParams('params.taskId must be a string');
  const task = await server.ports.tasks.find(ownerKey(site.principal), taskId);
  if (task === undefined || task.endpoint !== server.options.endpoint) throw invalidParams('Unknown task');
  return isLost(task, server) ? giveUp(server, task) : task;
}

function isLost({ status, runUntil }: TaskRecord, server: McpServer): boolean {
  return status === 'working' && runUntil <= server.ports.clock.now();
}

/** Fails a task whose run is gone with its process, instead of showing it at work for ever. */
async function giveUp(server: McpServer, task: TaskRecord): Promise<TaskRecord> {
  const message = 'The run of this task was lost. It may have taken effect; its outcome is unknown.';
  const moved = await moveTask(server, task, (current) =>
    isLost(current, server)
      ? { status: 'failed', statusMessage: message, error: { code: RPC_INTERNAL_ERROR, message } }
      : undefined,
  );
  return moved ?? (await server.ports.tasks.find(task.owner, task.taskId)) ?? task;
}

/** Takes the answers that fit; the rest stays asked. */
function answered(
  current: TaskRecord,
  responses: Readonly<Record<string, unknown>>,
  runUntil: number,
):
  | (Pick<TaskRecord, 'status' | 'answers'> & Partial<Pick<TaskRecord, 'inputRequests' | 'runUntil'>>)
  | undefined {
  if (current.status !== 'input_required' || current.inputRequests === undefined) return undefined;
  const answers: Record<string, unknown> = { ...current.answers };
  const open: Record<string, NonNullable<TaskRecord['inputRequests']>[string]> = {};
  for (const [key, request] of Object.entries(current.inputRequests)) {
    const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
    if (fitsRequest(request, response)) answers[key] = response;
    else open[key] = request;
  }
  if (Object.keys(open).length > 0) return { status: 'input_required', answers, inputRequests: open };
  return { status: 'working', answers, runUntil };
}

/** Runs the handler again with every answer so far, as whoever answered: with their rights of this moment. */
async function resume(server: McpServer, site: CallSite, entry: ToolEntry, task: TaskRecord): Promise<void> {
  const channel = new ReplayChannel(task.clientCapabilities, task.answers);
  const controller = new AbortController();
  const admitted = await admitCall(
    server.runner,
    {
      name: entry.definition.name,
      site,
      quiet: true,
      client: channel,
      signal: controller.signal,
      idempotencyKey: task.idempotencyKey ?? null,
      input: () => task.arguments,
    },
    server.ports.challenge,
  );
  const run = 'status' in admitted ? () => Promise.resolve(admitted) : admitted.run;
  driveTask(server, entry, task, { channel, controller, run });
}
