import type { CapabilityOptions } from './capability-options.js';
import type { Report } from './option-rule.js';

/** Whether the declared approval can ever be given, and shown to an operator. */
export function checkApproval({ approval, describe }: Partial<CapabilityOptions>, report: Report): void {
  if (typeof approval !== 'object' || approval === null) return;
  const { approvers, quorum = 1 } = approval;
  if (Array.isArray(approvers)) {
    const humans = new Set(approvers).size;
    if (humans === 0) {
      report(
        'APPROVERS_TOO_FEW',
        '`approval.approvers` is an empty list: nobody could approve',
        "List the ids of those who may decide, or remove it to leave it to the policy's `canApprove`",
      );
    } else if (humans < quorum) {
      report(
        'APPROVERS_TOO_FEW',
        `\`approval.approvers\` names ${humans} people, the quorum is ${quorum}`,
        'Name more approvers, or lower `approval.quorum`',
      );
    }
  }
  if (approval.by === 'host' && describe === undefined) {
    report(
      'APPROVAL_UNDESCRIBED',
      "`approval.by: 'host'` is set without `describe`",
      'Add `describe(input)`, so that the operator sees the exact action',
    );
  }
}
