import type { ApprovalRecord, KeyScope, StoredOutcome } from '../approvals/approval-record.js';
import type { ApprovalStore } from '../approvals/approval-store.js';
import type { AuditEvent } from '../audit/audit-event.js';
import type { AuditStore } from '../audit/stored-audit.js';
import type { ErrorReason } from '../errors/error-table.js';
import type { IdempotencyStore } from './idempotency-store.js';

/** What stage 11 asks for. Neither approval nor key: only `started` is stored. */
export interface TakeRequest {
  /** The execution that will run; it owns the claim. */
  readonly executionId: string;
  /** Milliseconds after which an unfinished claim counts as a crash: the call's deadline plus a margin. */
  readonly leaseMs: number;
  /** The approved record to claim; the key that waits on it is claimed with it. */
  readonly approval?: {
    readonly tenant: string;
    readonly id: string;
    readonly fingerprint: string;
    readonly policyVersion: string;
  };
  /** The key to claim, when no approval is involved. */
  readonly idempotency?: { readonly scope: KeyScope; readonly inputHash: string };
  /** Stored in the same transaction: no record, no effect. */
  readonly started: AuditEvent;
}

/** Proof of a successful take, handed back to `complete` or `release`. */
export interface Claim {
  readonly executionId: string;
  readonly approval: { readonly tenant: string; readonly id: string } | undefined;
  readonly idempotency: KeyScope | undefined;
}

export type TakeRefusal = Extract<
  ErrorReason,
  | 'NOT_FOUND'
  | 'CONSUMED'
  | 'EXPIRED'
  | 'WITHDRAWN'
  | 'APPROVAL_DENIED'
  | 'APPROVAL_VOID'
  | 'CAPABILITY_CHANGED'
  | 'IN_PROGRESS'
  | 'KEY_REUSED'
  | 'OUTCOME_UNKNOWN'
>;

export type TakeResult =
  | { readonly status: 'taken'; readonly claim: Claim; readonly record: ApprovalRecord | undefined }
  | { readonly status: 'refused'; readonly reason: TakeRefusal; readonly record: ApprovalRecord | undefined }
  /** The approval still waits for a decision: answer the same 202. */
  | { readonly status: 'pending'; readonly record: ApprovalRecord }
  /** The key is done: answer its stored outcome. */
  | { readonly status: 'replay'; readonly outcome: StoredOutcome }
  /** The key waits on an approval. */
  | { readonly status: 'suspended'; readonly approvalId: string };

/** How long finished things are kept. */
export interface SweepOptions {
  /** Milliseconds to keep finished keys. Default 24 hours. */
  readonly keysFor?: number;
}

export interface SweepResult {
  readonly expired: number;
  readonly unknown: number;
  readonly keysRemoved: number;
}

/**
 * One object that holds approvals, idempotency keys and audit, so that stage 11 is one transaction (port).
 * Every method is bounded in time; an unreachable or corrupt store throws `CapabilityError` UNAVAILABLE.
 */
export abstract class CapabilityStore {
  abstract readonly approvals: ApprovalStore;
  abstract readonly idempotency: IdempotencyStore;
  abstract readonly audit: AuditStore;
  /** Prepares the store at boot (migrations included) and checks that it answers; rejects to stop the boot. */
  abstract open(): Promise<void>;
  /** Resolves when the store answers; for readiness. */
  abstract ping(): Promise<void>;
  /** Claims the approval and/or the key and stores `started`, all or nothing. One winner. */
  abstract take(request: TakeRequest): Promise<TakeResult>;
  /**
   * Stores the outcome of a claim with its terminal event. False when the claim is no longer held
   * (its lease ran out and it is `unknown`); the event is stored either way.
   */
  abstract complete(claim: Claim, outcome: StoredOutcome, event: AuditEvent): Promise<boolean>;
  /**
   * Undoes a take after which nothing took effect: an audit sink outside the store refused `started`, or the call
   * ended with a question to its client. False when the claim is no longer held.
   */
  abstract release(claim: Claim, event: AuditEvent): Promise<boolean>;
  /** Expires what is overdue, marks abandoned claims `unknown`, removes old keys. Safe to run anywhere, any time. */
  abstract sweep(options?: SweepOptions): Promise<SweepResult>;
}
