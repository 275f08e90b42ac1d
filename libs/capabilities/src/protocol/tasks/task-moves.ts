import { isTerminal, type TaskRecord } from '../../execution/task-store.js';
import type { McpServer } from '../mcp-server.js';
import { taskDetail } from './task-view.js';

type Change = Pick<TaskRecord, 'status'> &
  Partial<Pick<TaskRecord, 'statusMessage' | 'runUntil' | 'answers' | 'inputRequests' | 'result' | 'error'>>;

/** Attempts before a task counts as contended: each loss means that another change won. */
const ATTEMPTS = 8;

/**
 * Changes a task unless it has ended. `decide` sees the stored task and returns the change, or undefined for
 * none; it runs again when another change came first. Resolves to the changed task, or undefined.
 */
export async function moveTask(
  server: McpServer,
  { owner, taskId }: Pick<TaskRecord, 'owner' | 'taskId'>,
  decide: (current: TaskRecord) => Change | undefined,
): Promise<TaskRecord | undefined> {
  const { tasks, clock } = server.ports;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = clock.now();
    const current = await tasks.find(owner, taskId);
    const change = current === undefined || isTerminal(current) ? undefined : decide(current);
    if (current === undefined || change === undefined) return undefined;
    const { inputRequests, ...kept } = current;
    void inputRequests;
    const next = { ...kept, ...change, lastUpdatedAt: now, version: current.version + 1 };
    if (await tasks.replace(next, current.version)) {
      await server.hub.publish({ kind: 'task', owner, taskId, task: taskDetail(next) });
      return next;
    }
  }
  throw new Error('A task changed too often at the same time.');
}
