import type { ApprovalRecord } from '../../../approvals/approval-record.js';
import type { SuspendedOutcome } from '../../../execution/outcome.js';

/** The suspended outcome of an approval that was found by its id. */
export function waitingOutcome(
  record: ApprovalRecord,
  links: Readonly<Record<string, string>>,
  executionId: string,
): SuspendedOutcome {
  const { id, capability, decideBy, executeBy, reasons } = record;
  return {
    status: 'suspended',
    executionId,
    capability,
    replayed: false,
    approval: {
      approvalId: id,
      decideBy: new Date(decideBy).toISOString(),
      executeBy: executeBy === null ? undefined : new Date(executeBy).toISOString(),
      reasons,
      links,
    },
  };
}
