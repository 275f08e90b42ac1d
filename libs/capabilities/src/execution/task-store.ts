import type { ClientRequest } from '../contract/client-channel.js';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task as it is stored: JSON only, so that any instance can serve it. */
export interface TaskRecord {
  readonly taskId: string;
  /** Whose task it is; nobody else can see it. */
  readonly owner: string;
  readonly endpoint: string;
  /** Mapped name of the tool. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the client said it can answer when it asked for the call. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** The call's idempotency key, under which every run of it counts. */
  readonly idempotencyKey?: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** While `working`: when the run counts as lost with its process, milliseconds since the epoch. */
  readonly runUntil: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastUpdatedAt: number;
  /** Milliseconds from creation for which the task can be read. */
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** Answers so far, by key. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What the task waits for, while `input_required`. */
  readonly inputRequests?: Readonly<Record<string, ClientRequest>>;
  /** Serialized result of the call, once `completed`. */
  readonly result?: string;
  /** JSON-RPC error, once `failed`. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Grows with every change; a change names the version it starts from. */
  readonly version: number;
}

/** Keeps tasks (port). Shared between instances that serve one endpoint. */
export abstract class TaskStore {
  /** Prepares the store at boot; rejects to stop the boot. */
  abstract open(): void | Promise<void>;
  /** Resolves once the task can be read by any instance. */
  abstract create(record: TaskRecord): void | Promise<void>;
  /** The task of that owner; undefined when there is none, or its time is over. */
  abstract find(owner: string, taskId: string): TaskRecord | undefined | Promise<TaskRecord | undefined>;
  /** Stores `record` if the stored version is `expected`; false when another change came first. */
  abstract replace(record: TaskRecord, expected: number): boolean | Promise<boolean>;
}

/** True when nothing will change any more. */
export function isTerminal({ status }: Pick<TaskRecord, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
