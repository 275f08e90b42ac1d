import type { AuditEvent, DenialCause } from '../audit/audit-event.js';
import type { PolicyStance } from '../contract/policy-stance.js';
import type { SurfaceId } from '../contract/surface.js';
import { executionId } from '../kernel/ids.js';
import type { PrincipalRef } from '../kernel/principal.js';
import type { ApprovalRecord } from './approval-record.js';

/** Who acts on an approval, where and when. */
export interface Actor {
  readonly principal: PrincipalRef;
  readonly surface: SurfaceId;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

type Head = Pick<
  AuditEvent,
  'at' | 'executionId' | 'correlationId' | 'tenant' | 'principal' | 'surface' | 'capability' | 'approvalId'
>;

function head(record: ApprovalRecord, actor: Actor): Head {
  return {
    at: actor.at,
    executionId: record.executionId,
    correlationId: record.correlationId,
    tenant: record.tenant,
    principal: actor.principal,
    surface: actor.surface,
    capability: record.capability,
    approvalId: record.id,
  };
}

const requesterOf = (record: ApprovalRecord, at: number): Actor => ({
  principal: record.requester,
  surface: record.surface,
  at,
});

const because = (reason: string | null): { reason?: string } => (reason === null ? {} : { reason });

export function decidedEvent(
  record: ApprovalRecord,
  actor: Actor,
  decision: 'approve' | 'reject',
  reason: string | null,
): AuditEvent {
  return { type: 'decided', ...head(record, actor), decision, outcome: record.state, ...because(reason) };
}

export function withdrawnEvent(record: ApprovalRecord, actor: Actor): AuditEvent {
  return { type: 'withdrawn', ...head(record, actor), ...because(record.note) };
}

export function resolvedEvent(
  record: ApprovalRecord,
  actor: Actor,
  outcome: 'succeeded' | 'failed',
): AuditEvent {
  return { type: 'resolved', ...head(record, actor), outcome, ...because(record.note) };
}

export function voidedEvent(record: ApprovalRecord, at: number): AuditEvent {
  return { type: 'voided', ...head(record, requesterOf(record, at)), reason: record.note ?? '' };
}

/** A window closed. Written by the store itself, whoever looks first. */
export function expiredEvent(record: ApprovalRecord, at: number): AuditEvent {
  return { type: 'expired', ...head(record, requesterOf(record, at)) };
}

/** A claim was abandoned: its process is gone, and whether it had an effect is not known. */
export function abandonedEvent(record: ApprovalRecord, at: number): AuditEvent {
  const body = {
    reason: 'OUTCOME_UNKNOWN',
    errorType: 'OUTCOME_UNKNOWN',
    durationMs: 0,
    stage: 'invoke',
  } as const;
  const executionId = record.claimedBy ?? record.executionId;
  return { type: 'failed', ...head(record, requesterOf(record, at)), executionId, ...body };
}

/** What the execution that asked knows beside the record. */
export interface Asking {
  readonly executionId: string;
  readonly correlationId: string;
  readonly traceId?: string;
  readonly stances: readonly PolicyStance[];
  /** Keyed hash of the input, as audit rows carry it. */
  readonly inputHash: string;
}

export function suspendedEvent(record: ApprovalRecord, actor: Actor, asking: Asking): AuditEvent {
  return { type: 'suspended', ...head(record, actor), ...asking, reasons: record.reasons };
}

export function viewedEvent(record: ApprovalRecord, actor: Actor): AuditEvent {
  return { type: 'viewed', ...head(record, actor), what: 'approval' };
}

/** A decision, withdrawal or resolution that was refused; `record` is undefined where none could be seen. */
export function refusedEvent(
  record: ApprovalRecord | undefined,
  actor: Actor & { readonly approvalId: string | undefined },
  cause: DenialCause,
): AuditEvent {
  if (record !== undefined) return { type: 'denied', ...head(record, actor), cause, stances: [] };
  const { principal, surface, at, approvalId } = actor;
  const id = executionId();
  const ids = { executionId: id, correlationId: id, ...(approvalId === undefined ? {} : { approvalId }) };
  return {
    type: 'denied',
    at,
    ...ids,
    tenant: principal.tenant,
    principal,
    surface,
    capability: '*',
    cause,
    stances: [],
  };
}

/** A claim of a decision that no record supports, such as an approval in a message history sent by a client. */
export function forgedEvent(
  actor: Actor,
  claim: { readonly capability: string; readonly reason: string; readonly approvalId?: string },
): AuditEvent {
  const { principal, surface, at } = actor;
  const id = executionId();
  return {
    type: 'forged',
    at,
    executionId: id,
    correlationId: id,
    tenant: principal.tenant,
    principal,
    surface,
    ...claim,
  };
}
