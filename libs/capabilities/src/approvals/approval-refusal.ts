import { CapabilityError, type ErrorDetails } from '../errors/capability-error.js';
import type { ErrorReason } from '../errors/error-table.js';
import type { ApprovalRecord, ApprovalState } from './approval-record.js';

/** Why an approval in this state cannot execute; undefined for `pending` and `approved`. */
export function executionRefusal(state: ApprovalState): ExecutionRefusal | undefined {
  return EXECUTION[state];
}

type ExecutionRefusal = Extract<
  ErrorReason,
  'CONSUMED' | 'APPROVAL_DENIED' | 'EXPIRED' | 'WITHDRAWN' | 'APPROVAL_VOID'
>;

const EXECUTION: Readonly<Record<ApprovalState, ExecutionRefusal | undefined>> = {
  pending: undefined,
  approved: undefined,
  claimed: 'CONSUMED',
  succeeded: 'CONSUMED',
  failed: 'CONSUMED',
  unknown: 'CONSUMED',
  denied: 'APPROVAL_DENIED',
  expired: 'EXPIRED',
  cancelled: 'WITHDRAWN',
  void: 'APPROVAL_VOID',
};

/** Why an approval in this state takes no vote; undefined for `pending`. */
function decisionRefusal(state: ApprovalState): ErrorReason | undefined {
  if (state === 'pending') return undefined;
  return state === 'expired' ? 'EXPIRED' : state === 'cancelled' ? 'WITHDRAWN' : 'ALREADY_DECIDED';
}

/** The refusal of a vote on a record that is no longer pending. */
export function refuseDecision(record: ApprovalRecord): CapabilityError {
  return new CapabilityError(decisionRefusal(record.state) ?? 'IN_PROGRESS', refusalDetails(record));
}

/** The refusal to withdraw a record that was executed, refused or is over. */
export function refuseCancel(record: ApprovalRecord): CapabilityError {
  return new CapabilityError(executionRefusal(record.state) ?? 'IN_PROGRESS', refusalDetails(record));
}

/** The refusal to execute a record, with who decided and when. */
export function refuseExecution(record: ApprovalRecord, reason: ErrorReason): CapabilityError {
  const why =
    reason === 'APPROVAL_DENIED' ? record.decision?.reason : reason === 'APPROVAL_VOID' ? record.note : null;
  return new CapabilityError(reason, {
    ...refusalDetails(record),
    ...(why ? { message: `${new CapabilityError(reason).message.slice(0, -1)}: ${why}` } : {}),
  });
}

/** What a caller may learn about a record that refused it. */
export function refusalDetails(record: ApprovalRecord): ErrorDetails {
  const { decision } = record;
  if (decision === null) return { approvalId: record.id };
  const { by, at } = decision;
  return {
    approvalId: record.id,
    decision: { decision: decision.decision, by, at: new Date(at).toISOString() },
  };
}

/** True when neither the contract nor the policy changed since the approval was asked for. */
export function isUnchanged(
  record: Pick<ApprovalRecord, 'fingerprint' | 'policyVersion'>,
  now: { readonly fingerprint: string; readonly policyVersion: string },
): boolean {
  return record.fingerprint === now.fingerprint && record.policyVersion === now.policyVersion;
}
