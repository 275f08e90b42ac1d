import { Injectable } from '@nestjs/common';
import { allow, CapabilityPolicy, hide, type CapabilityPolicyRule } from 'nest-capabilities';
import type { DeskPermission, DeskUser } from './desk-user.js';

/** The whole permission rule of the desk. */
@Injectable()
export class DeskPolicy extends CapabilityPolicy<DeskUser | null, DeskPermission> {
  userHasPermission(user: DeskUser | null, permission: DeskPermission): boolean {
    return user !== null && user.permissions.includes(permission);
  }
}

/** To everyone but managers, capabilities tagged `internal` do not exist. */
export const internalIsForManagers: CapabilityPolicyRule = {
  name: 'internal-is-for-managers',
  phase: 'access',
  hides: true,
  evaluate: ({ capability, principal }) =>
    capability.tags.includes('internal') && !principal.roles.includes('manager') ? hide() : allow(),
};
