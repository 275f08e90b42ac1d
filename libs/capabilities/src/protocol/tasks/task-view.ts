import type { TaskRecord } from '../../execution/task-store.js';

/** A task without what it ended with: what `tools/call` answers. */
export function taskHead(record: TaskRecord): Record<string, unknown> {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = record;
  return {
    taskId,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

/** A task in full, as `tasks/get` and `notifications/tasks` show it. */
export function taskDetail(record: TaskRecord): Record<string, unknown> {
  const { inputRequests, result, error } = record;
  return {
    ...taskHead(record),
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(result === undefined ? {} : { result: JSON.parse(result) as unknown }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Serialized members of an object, without its braces. */
export function membersOf(object: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(object).slice(1, -1);
}
