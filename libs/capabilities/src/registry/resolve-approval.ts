import type { ApprovalOptions } from '../contract/capability-options.js';
import type { ResolvedApproval } from './capability-definition.js';

const DECIDE_WITHIN_MS = 15 * 60_000;
const EXECUTE_WITHIN_MS = 5 * 60_000;

/** Approval options with every default applied. */
export function resolveApproval(options: ApprovalOptions = {}): ResolvedApproval {
  return Object.freeze({
    required: options.required,
    by: options.by,
    strength: options.strength ?? 'none',
    decideWithin: options.decideWithin ?? DECIDE_WITHIN_MS,
    executeWithin: options.executeWithin ?? EXECUTE_WITHIN_MS,
    quorum: options.quorum ?? 1,
    approvers: options.approvers && Object.freeze([...options.approvers]),
    permission: options.permission,
    type: options.type,
  });
}
