import type { AuditEvent } from '../audit/audit-event.js';
import type { ApprovalRecord, ApprovalRequestData, ApprovalState, ApprovalVote } from './approval-record.js';

/** Builds the audit event of a move from the record as it stands after the move; stored in the same step. */
export type MoveEvent = (after: ApprovalRecord) => AuditEvent;

/** What asking led to. `created` is false when an identical open request was found. */
export type CreateResult =
  | {
      readonly status: 'open';
      readonly created: boolean;
      readonly record: ApprovalRecord;
      readonly event?: AuditEvent;
    }
  /** The idempotency key is already in use: look it up again. */
  | { readonly status: 'key-taken' };

/** What a move led to. A loser gets the record as the winner left it. */
export type MoveResult =
  | { readonly status: 'moved'; readonly record: ApprovalRecord; readonly event: AuditEvent }
  /** The state does not allow the move; expiry is re-checked after the lock and shows as `expired`. */
  | { readonly status: 'refused'; readonly record: ApprovalRecord }
  /** This human has voted before; not counted. */
  | { readonly status: 'duplicate'; readonly record: ApprovalRecord }
  | { readonly status: 'not-found' };

export interface ApprovalFilter {
  readonly tenant: string;
  readonly states?: readonly ApprovalState[];
  readonly capability?: string;
  readonly type?: string;
  /** Only requests whose requester is this human, or this principal id where no human stands behind it. */
  readonly requester?: string;
}

export interface ApprovalPageRequest extends ApprovalFilter {
  /** At most this many records, 1–200. */
  readonly limit: number;
  /** `next` of the previous page. */
  readonly cursor?: string;
  /** Default `'newest'`. */
  readonly order?: 'oldest' | 'newest';
}

export interface ApprovalPage {
  readonly records: readonly ApprovalRecord[];
  /** One cursor per record, to continue right after it. */
  readonly cursors: readonly string[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/**
 * Where approvals live (port). Every move is one compare-and-set that re-checks time after the lock
 * and stores its audit event in the same step. An unreachable or corrupt store throws
 * `CapabilityError` UNAVAILABLE; it never answers as if there were no approvals.
 */
export abstract class ApprovalStore {
  /**
   * Stores a new request, or returns the open one (pending or approved) that `data.idempotency` waits on with
   * the same input, or that has the same coalesce key. Suspends the key on a new request in the same step.
   */
  abstract create(data: ApprovalRequestData, coalesceKey: string, event: MoveEvent): Promise<CreateResult>;
  /** The record, first moved to `expired` or `unknown` when its time is over. */
  abstract get(tenant: string, id: string): Promise<ApprovalRecord | undefined>;
  abstract list(request: ApprovalPageRequest): Promise<ApprovalPage>;
  /** Counts one vote on a pending record: a reject denies, the quorum-th approval approves. */
  abstract vote(
    tenant: string,
    id: string,
    vote: Omit<ApprovalVote, 'at'>,
    event: MoveEvent,
  ): Promise<MoveResult>;
  /** pending or approved → cancelled. */
  abstract cancel(tenant: string, id: string, note: string | null, event: MoveEvent): Promise<MoveResult>;
  /** approved → void. */
  abstract void(tenant: string, id: string, note: string, event: MoveEvent): Promise<MoveResult>;
  /** unknown → succeeded or failed, by an operator; settles the key that waited on it. */
  abstract resolve(
    tenant: string,
    id: string,
    outcome: 'succeeded' | 'failed',
    note: string | null,
    event: MoveEvent,
  ): Promise<MoveResult>;
}
