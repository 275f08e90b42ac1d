import type { ApprovalRecord } from '../../approvals/approval-record.js';
import { refuseExecution } from '../../approvals/approval-refusal.js';
import { CapabilityError } from '../../errors/capability-error.js';
import { isPromiseLike } from '../../kernel/promise-like.js';
import type { CallJournal } from '../call-journal.js';
import type { CallRecord } from '../call-record.js';
import type { TakeRefusal, TakeResult } from '../capability-store.js';
import { freeLease } from '../free-lease.js';
import type { Governance, PipelinePorts } from '../pipeline-ports.js';
import type { CallKey, KeyLookUp } from './look-up-key.js';

/** How long after its deadline a claim may stay open before it counts as a crash, milliseconds. */
const LEASE_MARGIN_MS = 5_000;

/** What a take led to when somebody else was there first; undefined when the call may run. */
export type Overtaken =
  | { readonly status: 'replay'; readonly replay: NonNullable<KeyLookUp['replay']> }
  | { readonly status: 'suspended'; readonly record: ApprovalRecord };

/**
 * Stage 11: claims the approval or key together with the stored `started`, then a slot and
 * the budget. For writes: no record, no effect. Throws the reason when the claim is lost.
 */
export async function takeCall(
  record: CallRecord,
  key: CallKey | undefined,
  ports: PipelinePorts,
  journal: CallJournal,
): Promise<Overtaken | undefined> {
  record.call.check();
  const { governance } = ports;
  if (governance !== undefined && (record.approval !== undefined || key !== undefined)) {
    const result = await governance.store.take(takeRequest(record, key, governance, journal));
    const overtaken = await judge(result, record, governance);
    if (overtaken !== undefined) return overtaken;
  }
  try {
    await takeLimits(record, ports);
    const stored = journal.started(record);
    if (isPromiseLike(stored)) await record.call.race(stored);
  } catch (error) {
    await giveBack(record, error, ports, journal);
    throw error;
  }
  return undefined;
}

function takeRequest(
  record: CallRecord,
  key: CallKey | undefined,
  governance: Governance,
  journal: CallJournal,
) {
  const { approval, definition, executionId } = record;
  record.inputHash = governance.gate.auditHash(approval?.inputHash ?? key!.inputHash);
  return {
    executionId,
    leaseMs: definition.timeoutMs + LEASE_MARGIN_MS,
    started: journal.startedEvent(record),
    ...(approval === undefined
      ? { idempotency: key! }
      : {
          approval: {
            tenant: approval.tenant,
            id: approval.id,
            fingerprint: definition.fingerprint,
            policyVersion: governance.gate.policyVersion,
          },
        }),
  };
}

async function judge(
  result: TakeResult,
  record: CallRecord,
  governance: Governance,
): Promise<Overtaken | undefined> {
  switch (result.status) {
    case 'taken':
      record.claim = result.claim;
      return undefined;
    case 'replay':
      return { status: 'replay', replay: result.outcome };
    case 'pending':
      return { status: 'suspended', record: result.record };
    case 'suspended': {
      const waiting = await governance.store.approvals.get(record.principal.tenant, result.approvalId);
      if (waiting === undefined) throw new CapabilityError('IN_PROGRESS', { retryAfter: 1 });
      return { status: 'suspended', record: waiting };
    }
    case 'refused':
      throw refusal(result.reason, result.record);
  }
}

function refusal(reason: TakeRefusal, record: ApprovalRecord | undefined): CapabilityError {
  if (record !== undefined) return refuseExecution(record, reason);
  return new CapabilityError(reason, reason === 'IN_PROGRESS' ? { retryAfter: 1 } : {});
}

async function takeLimits(record: CallRecord, ports: PipelinePorts): Promise<void> {
  if (ports.limits === undefined || record.definition.limits === undefined) return;
  const taking = ports.limits.take(record.definition, record.principal, record.observedInput);
  if (!isPromiseLike(taking)) {
    record.lease = taking;
    return;
  }
  try {
    record.lease = await record.call.race(taking);
  } catch (error) {
    // The call ended first: a slot that is given after all goes back.
    taking.then(
      (late) => freeLease(late, ports.logger),
      () => undefined,
    );
    throw error;
  }
}

/** Nothing ran: the claim returns to where it was, and the slot is free. */
async function giveBack(
  record: CallRecord,
  error: unknown,
  { governance, logger }: PipelinePorts,
  journal: CallJournal,
): Promise<void> {
  if (record.lease !== undefined) void freeLease(record.lease, logger);
  record.lease = undefined;
  if (record.claim === undefined || governance === undefined) return;
  const { claim } = record;
  record.claim = undefined;
  record.terminal = journal.deniedEvent(
    record,
    error instanceof CapabilityError ? error.reason : 'UNAVAILABLE',
  );
  await governance.store.release(claim, record.terminal);
}
