import type { ErrorReason } from '../errors/error-table.js';
import type { PolicyStance } from '../contract/policy-stance.js';
import type { PrincipalRef } from '../kernel/principal.js';
import type { SurfaceId } from '../contract/surface.js';

interface EventBase {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly executionId: string;
  /** Ties every event of one business operation together, across approval and resume. */
  readonly correlationId: string;
  readonly traceId?: string;
  readonly tenant: string;
  /** Null when nobody could be identified. */
  readonly principal: PrincipalRef | null;
  readonly surface: SurfaceId;
  /** The name asked for; on `requested` it may be unknown. */
  readonly capability: string;
  readonly approvalId?: string;
}

/** True reason of a refusal, which the caller may not be shown. */
export type DenialCause = ErrorReason | 'UNKNOWN' | 'UNEXPOSED' | 'HIDDEN';

/** The closed set of audit events. Ids, reasons and keyed hashes; never payloads. */
export type AuditEvent =
  | (EventBase & { readonly type: 'requested' })
  | (EventBase & {
      readonly type: 'denied';
      readonly cause: DenialCause;
      readonly stances: readonly PolicyStance[];
    })
  | (EventBase & {
      readonly type: 'suspended';
      readonly stances: readonly PolicyStance[];
      readonly reasons: readonly string[];
      readonly inputHash: string;
    })
  | (EventBase & {
      readonly type: 'decided';
      readonly decision: 'approve' | 'reject';
      readonly outcome: string;
      readonly reason?: string;
    })
  | (EventBase & {
      readonly type: 'started';
      readonly stances: readonly PolicyStance[];
      readonly inputHash?: string;
      readonly effect: boolean;
    })
  | (EventBase & { readonly type: 'retried'; readonly attempt: number; readonly errorType: string })
  | (EventBase & { readonly type: 'completed'; readonly durationMs: number; readonly replayed: boolean })
  | (EventBase & {
      readonly type: 'failed';
      readonly reason: ErrorReason;
      readonly errorType: string;
      readonly durationMs: number;
      readonly stage: string;
    })
  | (EventBase & { readonly type: 'cancelled'; readonly durationMs: number; readonly stage: string })
  | (EventBase & { readonly type: 'expired' })
  | (EventBase & { readonly type: 'withdrawn'; readonly reason?: string })
  | (EventBase & { readonly type: 'voided'; readonly reason: string })
  | (EventBase & {
      readonly type: 'resolved';
      readonly outcome: 'succeeded' | 'failed';
      readonly reason?: string;
    })
  | (EventBase & { readonly type: 'forged'; readonly reason: string })
  /** Rows of the tenant's chain whose subject was blanked; verification accepts blanks only where one of these names them. */
  | (EventBase & { readonly type: 'erased'; readonly rows: readonly number[] })
  /** Rows up to this sequence number were removed; the chain starts at a signed checkpoint. */
  | (EventBase & { readonly type: 'pruned'; readonly through: number })
  | (EventBase & { readonly type: 'viewed'; readonly what: string })
  | (EventBase & { readonly type: 'exported'; readonly what: string });

export type AuditEventType = AuditEvent['type'];
