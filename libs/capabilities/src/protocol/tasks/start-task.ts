import type { TaskRecord } from '../../execution/task-store.js';
import { uuid } from '../../kernel/ids.js';
import type { CallSite } from '../call-site.js';
import { knownCapabilities } from '../client-features.js';
import { admitCall, type AdmittedCall, type GovernedCall } from '../governed-call.js';
import type { McpServer } from '../mcp-server.js';
import type { MultiRound } from '../multi-round.js';
import { ownerKey } from '../owner-key.js';
import { ReplayChannel } from '../replay-channel.js';
import type { ToolEntry } from '../tool-entry.js';
import { toolReply } from '../tool-reply.js';
import { driveTask, runMs } from './drive-task.js';
import { membersOf, taskHead } from './task-view.js';

const POLL_INTERVAL_MS = 1000;

/** A tool call that becomes a task. */
export interface TaskRequest {
  readonly site: CallSite;
  readonly args: Readonly<Record<string, unknown>>;
  readonly governed: GovernedCall;
  readonly rounds: MultiRound;
}

/**
 * Admits a call, stores its task and starts it; the reply names the task. A call that is not admitted is
 * answered like any other and makes no task.
 */
export async function startTask(server: McpServer, entry: ToolEntry, request: TaskRequest): Promise<string> {
  const { site, args, governed, rounds } = request;
  const controller = new AbortController();
  const channel = new ReplayChannel(site.meta.clientCapabilities);
  const prepare = async (): Promise<void> => {
    await governed.prepare?.();
    if (rounds.channel instanceof ReplayChannel) channel.answers = rounds.channel.answers;
  };
  const call: GovernedCall = {
    ...governed,
    quiet: true,
    client: channel,
    signal: controller.signal,
    prepare,
  };
  const admitted = await admitCall(server.runner, call, server.ports.challenge);
  if ('status' in admitted) return toolReply(server, site, entry, rounds, admitted);
  await admitted.prepare();
  const record = newRecord(server, entry, { owner: ownerKey(site.principal), args, channel, site, governed });
  await storeTask(server, record, admitted);
  driveTask(server, entry, record, { channel, controller, run: admitted.run });
  return server.results.task(membersOf(taskHead(record)));
}

/** No task, no run: an admitted call whose task cannot be stored ends. */
async function storeTask(server: McpServer, record: TaskRecord, admitted: AdmittedCall): Promise<void> {
  try {
    await server.ports.tasks.create(record);
  } catch (error) {
    await admitted.abandon();
    throw error;
  }
}

function newRecord(
  server: McpServer,
  entry: ToolEntry,
  given: {
    readonly owner: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly channel: ReplayChannel;
    readonly site: CallSite;
    readonly governed: GovernedCall;
  },
): TaskRecord {
  const now = server.ports.clock.now();
  const key = given.site.meta.idempotencyKey;
  return {
    taskId: uuid(),
    owner: given.owner,
    endpoint: server.options.endpoint,
    tool: entry.name,
    arguments: given.args,
    clientCapabilities: knownCapabilities(given.site.meta.clientCapabilities),
    ...(key === undefined || given.governed.reads === true ? {} : { idempotencyKey: key }),
    status: 'working',
    runUntil: now + runMs(entry),
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: server.options.taskTtlMs,
    pollIntervalMs: POLL_INTERVAL_MS,
    answers: given.channel.answers,
    version: 1,
  };
}
