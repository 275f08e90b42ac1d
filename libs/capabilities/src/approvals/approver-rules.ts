import { CapabilityError } from '../errors/capability-error.js';
import type { Principal, PrincipalRef } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import type { ApprovalSubject, CapabilityPolicy } from '../policies/capability-policy.js';
import type { PermissionChecker } from '../policies/permission-checker.js';
import type { ApprovalRecord } from './approval-record.js';

/** Permissions that approvals ask the application's policy for. */
export const APPROVAL_PERMISSIONS = Object.freeze({
  /** Decide on gates by another human. */
  decide: 'approvals:decide',
  /** Decide on gates by the host, see every approval, and resolve unknown outcomes. */
  operate: 'approvals:operate',
  /** See every approval of the tenant. */
  audit: 'approvals:audit',
});

/** Who may see, decide and execute. Everything fails closed. */
export class ApproverRules {
  constructor(
    private readonly policy: CapabilityPolicy<unknown, string> | undefined,
    private readonly permissions: PermissionChecker,
    private readonly timeoutMs: number,
  ) {}

  /** Own requests, requests one may decide in general, or every request with `approvals:audit` or `approvals:operate`. */
  async maySee(principal: Principal, record: ApprovalRecord): Promise<boolean> {
    if (principal.tenant !== record.tenant || principal.kind === 'anonymous') return false;
    if (isRequester(principal, record.requester)) return true;
    if (principal.human !== null && record.approvers?.includes(principal.human)) return true;
    if (await this.mayApprove(principal, record)) return true;
    if (await this.holds(principal, APPROVAL_PERMISSIONS.audit)) return true;
    return this.holds(principal, APPROVAL_PERMISSIONS.operate);
  }

  /** Whether this principal is among those who may answer this very request. */
  async mayDecide(principal: Principal, record: ApprovalRecord): Promise<boolean> {
    const { human } = principal;
    if (record.approvers !== null && (human === null || !record.approvers.includes(human))) return false;
    if (record.permission !== null && !(await this.holds(principal, record.permission))) return false;
    if (record.by === 'principal') return human !== null && human === record.requester.human;
    // Named people stand for the rule of who may approve, but nobody stands for the host.
    return (record.approvers !== null && record.by !== 'host') || this.mayApprove(principal, record);
  }

  /** Throws SELF_APPROVAL, SAME_CREDENTIAL or FORBIDDEN, in that order. */
  async assertMayDecide(principal: Principal, record: ApprovalRecord): Promise<void> {
    if (isSelfApproval(principal, record)) throw new CapabilityError('SELF_APPROVAL');
    if (principal.kind !== 'user' || isSameCredential(principal, record.requester)) {
      throw new CapabilityError('SAME_CREDENTIAL');
    }
    if (!(await this.mayDecide(principal, record))) throw new CapabilityError('FORBIDDEN');
  }

  async holds(principal: Principal, permission: string): Promise<boolean> {
    const answer = await this.permissions.check(principal, permission);
    return answer.allowed;
  }

  /** The policy's `canApprove`, or the gate's permission. A throw, a timeout or anything but `true` is no. */
  private async mayApprove(principal: Principal, record: ApprovalRecord): Promise<boolean> {
    const fallback = record.by === 'host' ? APPROVAL_PERMISSIONS.operate : APPROVAL_PERMISSIONS.decide;
    if (this.policy?.canApprove === undefined) return this.holds(principal, record.permission ?? fallback);
    try {
      const asking = Promise.resolve(this.policy.canApprove(principal.user, subjectOf(record)));
      const answer: unknown = await withTimeLimit(asking, this.timeoutMs);
      return answer === true;
    } catch {
      return false;
    }
  }
}

/** Four eyes by human: keys, agents and owned services of the requester are the requester. */
export function isRequester(principal: PrincipalRef, requester: PrincipalRef): boolean {
  if (requester.tenant !== principal.tenant) return false;
  if (requester.human !== null) return principal.human === requester.human;
  return principal.kind === requester.kind && principal.id === requester.id;
}

/** True when this vote would be the requester's own, on a gate that wants another human. */
export function isSelfApproval(
  voter: PrincipalRef,
  record: Pick<ApprovalRecord, 'by' | 'requester'>,
): boolean {
  return record.by !== 'principal' && isRequester(voter, record.requester);
}

/** Where neither side names a credential, the same principal is taken to use the same one. */
function isSameCredential(principal: PrincipalRef, requester: PrincipalRef): boolean {
  if (principal.credentialId !== null || requester.credentialId !== null) {
    return principal.credentialId === requester.credentialId;
  }
  return principal.kind === requester.kind && principal.id === requester.id;
}

const subjectOf = (record: ApprovalRecord): ApprovalSubject => ({
  approvalId: record.id,
  capability: record.capability,
  type: record.type ?? undefined,
  tenant: record.tenant,
  requester: { id: record.requester.id, human: record.requester.human },
});
