import type { CapabilityView } from '../contract/capability-view.js';
import type { RegisteredPermission, RegisteredUser } from '../contract/register.js';

/** What `canApprove` may look at. */
export interface ApprovalSubject {
  readonly approvalId: string;
  readonly capability: string;
  readonly type: string | undefined;
  readonly tenant: string;
  readonly requester: { readonly id: string; readonly human: string | null };
}

/**
 * The application's permission rule (port). A throw or a non-boolean answer denies.
 */
export abstract class CapabilityPolicy<
  User = RegisteredUser,
  Permission extends string = RegisteredPermission,
> {
  /** Bump to make approvals that were given under older rules refuse. Default `'1'`. */
  readonly version: string = '1';
  /** The whole permission rule. */
  abstract userHasPermission(user: User, permission: Permission): boolean | Promise<boolean>;
  /** A further refusal by capability: its public text, or null to let it pass. */
  authorize?(capability: CapabilityView, user: User): string | null | Promise<string | null>;
  /** Whether this user may decide on this approval. Default: the permission `approvals:decide`. */
  canApprove?(user: User, approval: ApprovalSubject): boolean | Promise<boolean>;
  /** OAuth scope of a permission. Default: the same string. */
  scopeOf?(permission: Permission): string;
}
