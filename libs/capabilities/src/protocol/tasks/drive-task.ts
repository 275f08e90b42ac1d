import { RPC_INTERNAL_ERROR } from '../../errors/rpc-codes.js';
import type { Outcome } from '../../execution/outcome.js';
import { isTerminal, type TaskRecord } from '../../execution/task-store.js';
import type { McpServer } from '../mcp-server.js';
import { waitsFor } from '../multi-round.js';
import type { ReplayChannel } from '../replay-channel.js';
import { RpcError } from '../rpc-error.js';
import type { ToolEntry } from '../tool-entry.js';
import { toolParts } from '../tool-reply.js';
import { moveTask } from './task-moves.js';

/** One run of a task's handler in this process. */
export interface TaskRun {
  readonly channel: ReplayChannel;
  readonly controller: AbortController;
  readonly run: () => Promise<Outcome>;
}

/** How long after its deadline a run counts as lost: clocks of instances differ. */
const RUN_MARGIN_MS = 60_000;

/** Milliseconds after which a run that has not ended is gone with its process. */
export function runMs({ definition }: ToolEntry): number {
  return definition.timeoutMs + RUN_MARGIN_MS;
}

/** Runs a task in the background and stores how it ended. Never rejects. */
export function driveTask(server: McpServer, entry: ToolEntry, task: TaskRecord, run: TaskRun): void {
  server.running.set(task.taskId, run.controller);
  const stopWatching = abortWhenCancelled(server, task, run.controller);
  const work = settle(server, entry, task, run).catch((error: unknown) => server.ports.onFault(error));
  void work.finally(() => {
    stopWatching();
    if (server.running.get(task.taskId) === run.controller) server.running.delete(task.taskId);
  });
}

/** Aborts a run whose task was cancelled on another instance, or is over. Returns what ends the watch. */
function abortWhenCancelled(
  server: McpServer,
  { owner, taskId, pollIntervalMs }: TaskRecord,
  controller: AbortController,
): () => void {
  const look = async (): Promise<void> => {
    try {
      const stored = await server.ports.tasks.find(owner, taskId);
      if (stored === undefined || isTerminal(stored)) controller.abort();
    } catch {
      // The store does not answer: the run goes on, and the next look may find out.
    }
  };
  const timer = setInterval(() => void look(), pollIntervalMs).unref();
  return () => clearInterval(timer);
}

async function settle(server: McpServer, entry: ToolEntry, task: TaskRecord, run: TaskRun): Promise<void> {
  const { channel } = run;
  try {
    const outcome = await run.run();
    if (outcome.status === 'failed' && channel.refusal !== undefined) throw channel.refusal;
    const requests = outcome.status === 'failed' ? waitsFor(channel, outcome) : undefined;
    if (requests !== undefined) {
      await moveTask(server, task, () => ({
        status: 'input_required',
        inputRequests: requests,
        answers: { ...channel.used },
      }));
      return;
    }
    const result = server.results.complete(toolParts(server, 'modern', entry, outcome));
    await moveTask(server, task, () => ({ status: 'completed', result }));
  } catch (error) {
    await fail(server, task, error);
  }
}

/** A protocol error ends a task as `failed`; a fault of ours is masked. */
async function fail(server: McpServer, task: TaskRecord, thrown: unknown): Promise<void> {
  const known = thrown instanceof RpcError ? thrown : new RpcError(RPC_INTERNAL_ERROR, 'Internal error');
  if (known !== thrown) server.ports.onFault(thrown);
  const { code, message, data } = known;
  await moveTask(server, task, () => ({
    status: 'failed',
    statusMessage: message,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  }));
}
