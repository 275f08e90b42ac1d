import type { ApprovalRecord } from '../approvals/approval-record.js';
import type { CallRecord } from './call-record.js';
import type { SuspendedOutcome } from './outcome.js';
import type { Governance } from './pipeline-ports.js';

/** The answer of a call that waits for a human. */
export function suspendedOutcome(
  record: CallRecord,
  approval: ApprovalRecord,
  governance: Governance,
): SuspendedOutcome {
  record.approval = approval;
  return {
    executionId: record.executionId,
    capability: approval.capability,
    replayed: false,
    status: 'suspended',
    approval: {
      approvalId: approval.id,
      decideBy: new Date(approval.decideBy).toISOString(),
      executeBy: approval.executeBy === null ? undefined : new Date(approval.executeBy).toISOString(),
      reasons: approval.reasons,
      links: governance.links(approval),
    },
  };
}
