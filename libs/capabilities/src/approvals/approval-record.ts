import type { ApprovalBy, ApprovalStrength } from '../contract/capability-options.js';
import type { ObjectRef, PendingAction } from '../contract/object-ref.js';
import type { SurfaceId } from '../contract/surface.js';
import type { ErrorReason, ToolErrorCode } from '../errors/error-table.js';
import type { ErrorDetails } from '../errors/capability-error.js';
import type { PrincipalRef } from '../kernel/principal.js';

/** Where an approval stands; the legal moves are in `approval-moves.ts`. */
export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'void'
  | 'claimed'
  | 'succeeded'
  | 'failed'
  | 'unknown';

/** What one human said. */
export interface ApprovalVote {
  readonly decision: 'approve' | 'reject';
  /** The human who voted; the principal's id where a host acts without one. */
  readonly human: string;
  /** Re-read through `PrincipalResolver.reload` when the record executes. */
  readonly principal: PrincipalRef;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly reason: string | null;
}

/** The answer that ended the wait for a human. */
export interface ApprovalDecision {
  readonly decision: 'approve' | 'reject';
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly reason: string | null;
}

/** A failure that replays like the first time: a declared failure, a tool error or an HTTP exception. */
export interface StoredError {
  readonly reason: ErrorReason;
  readonly code: ToolErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** What became of a call that was taken. `unknown` is a masked fault, a timeout after `started`, or a crash. */
export type StoredOutcome =
  | {
      readonly status: 'succeeded';
      /** Validated output before redaction, in the storable encoding. */
      readonly output: string;
      readonly cites: readonly ObjectRef[];
    }
  | { readonly status: 'failed'; readonly error: StoredError }
  | { readonly status: 'unknown'; readonly reason: string };

/** One key of the idempotency key space: tenant + principal + capability + the caller's key. */
export interface KeyScope {
  readonly tenant: string;
  /** `kind:id` of the principal, see `keyPrincipal`. */
  readonly principal: string;
  readonly capability: string;
  readonly key: string;
}

/** The part of an approval that is fixed when it is asked for. */
export interface ApprovalRequestData {
  /** UUIDv4. */
  readonly id: string;
  readonly tenant: string;
  readonly requester: PrincipalRef;
  readonly surface: SurfaceId;
  readonly capability: string;
  /** Contract fingerprint of the capability when it was asked. */
  readonly fingerprint: string;
  /** `CapabilityPolicy.version` when it was asked. */
  readonly policyVersion: string;
  /** The parsed input exactly as it will run, in the storable encoding. */
  readonly input: string;
  /** Domain-separated hash of the canonical input. */
  readonly inputHash: string;
  /** What deciders are shown. */
  readonly action: PendingAction;
  readonly reasons: readonly string[];
  readonly by: ApprovalBy;
  readonly quorum: number;
  /** Ids of the humans who may decide; null leaves it to the policy. */
  readonly approvers: readonly string[] | null;
  readonly strength: ApprovalStrength;
  /** Asked of whoever decides instead of `approvals:decide`. */
  readonly permission: string | null;
  readonly type: string | null;
  /** Milliseconds in which the decision must fall, counted from the request. */
  readonly decideWithin: number;
  /** Milliseconds in which the call must start, counted from the approval. */
  readonly executeWithin: number;
  /** Execution that asked. */
  readonly executionId: string;
  readonly correlationId: string;
  /** The idempotency key that waits on this approval. */
  readonly idempotency: KeyScope | null;
}

/** An approval as it stands now. Times are milliseconds since the epoch, on the store's clock. */
export interface ApprovalRecord extends ApprovalRequestData {
  readonly state: ApprovalState;
  readonly createdAt: number;
  readonly decideBy: number;
  /** Null until approved. */
  readonly executeBy: number | null;
  readonly votes: readonly ApprovalVote[];
  /** Null until approved or denied. */
  readonly decision: ApprovalDecision | null;
  /** Execution that took it; null until claimed. */
  readonly claimedBy: string | null;
  /** Null until the call has ended. */
  readonly outcome: StoredOutcome | null;
  /** Why it was cancelled, voided or resolved. */
  readonly note: string | null;
}

/** The key-space form of a principal: shared by all its credentials and surfaces. */
export function keyPrincipal(principal: Pick<PrincipalRef, 'kind' | 'id'>): string {
  return `${principal.kind}:${principal.id}`;
}
