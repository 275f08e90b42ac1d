import { fitsRequest } from '../asking-channel.js';
import type { CallSite } from '../call-site.js';
import { admitCall } from '../governed-call.js';
import type { McpServer } from '../mcp-server.js';
import { ownerKey } from '../owner-key.js';
import { ReplayChannel } from '../replay-channel.js';
import { readResponses } from '../request-state.js';
import { invalidParams } from '../rpc-error.js';
import { driveTask } from './drive-task.js';
import { moveTask } from './task-moves.js';
import type { TaskRecord } from './task-store.js';
import { declaresTasks, tasksMissing } from './tasks-extension.js';
import { membersOf, taskDetail } from './task-view.js';

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
  const moved = await moveTask(server, task, (current) => answered(current, responses));
  if (moved?.status === 'working') await resume(server, site, moved);
  return server.results.complete(ACKNOWLEDGED);
}

/** The caller's own task on this endpoint. Throws {@link RpcError} −32021 without the extension, −32602 else. */
async function ownTask(server: McpServer, site: CallSite): Promise<TaskRecord> {
  if (!declaresTasks(site)) throw tasksMissing();
  const { taskId } = site.call.params;
  if (typeof taskId !== 'string') throw invalidParams('params.taskId must be a string');
  const { tasks, clock } = server.ports;
  const task = await tasks.find(ownerKey(site.principal), taskId, clock.now());
  if (task === undefined || task.endpoint !== server.options.endpoint) throw invalidParams('Unknown task');
  return task;
}

/** Takes the answers that fit; the rest stays asked. */
function answered(
  current: TaskRecord,
  responses: Readonly<Record<string, unknown>>,
): Pick<TaskRecord, 'status' | 'answers' | 'inputRequests'> | undefined {
  if (current.status !== 'input_required' || current.inputRequests === undefined) return undefined;
  const answers: Record<string, unknown> = { ...current.answers };
  const open: Record<string, NonNullable<TaskRecord['inputRequests']>[string]> = {};
  for (const [key, request] of Object.entries(current.inputRequests)) {
    const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
    if (fitsRequest(request, response)) answers[key] = response;
    else open[key] = request;
  }
  if (Object.keys(open).length > 0) return { status: 'input_required', answers, inputRequests: open };
  return { status: 'working', answers };
}

/** Runs the handler again with every answer so far, as whoever answered: with their rights of this moment. */
async function resume(server: McpServer, site: CallSite, task: TaskRecord): Promise<void> {
  const entry = server.tools.get(task.tool);
  if (entry === undefined) throw invalidParams('Unknown task');
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
      input: () => task.arguments,
    },
    server.ports.challenge,
  );
  const run = 'status' in admitted ? () => Promise.resolve(admitted) : admitted.run;
  driveTask(server, entry, task, { channel, controller, run });
}
