import type { Capability, CapabilityUser } from './capability.js';

/** The application's rules, injected into every run. A throw or an answer of the wrong type denies. */
export interface CapabilityPolicy<User = CapabilityUser, Permission extends string = string> {
  /** The whole permission rule: the library never decides what a role or a permission implies. */
  userHasPermission(user: User, permission: Permission): boolean | Promise<boolean>;
  /** A second gate, asked once the permission is granted: the text of a refusal, or null to let it pass. */
  authorize?(capability: Capability<User, Permission>, user: User): string | null | Promise<string | null>;
}
