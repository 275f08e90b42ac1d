import { executionId } from '../kernel/ids.js';
import type { PrincipalInput } from '../kernel/principal.js';

/** Ids of users that have none of their own, by object. */
const anonymousIds = new WeakMap<object, string>();

/**
 * The principal of an application's user. Its id is the user's `id` where that is a non-empty string, and else one
 * of that very object, so that two users never share a handle; roles and permissions are copied as material. No
 * user is no principal, and the call is UNAUTHENTICATED.
 */
export function principalOf(user: unknown): PrincipalInput | null {
  if (user === null || user === undefined) return null;
  const { id, appRoles, permissions } = (typeof user === 'object' ? user : {}) as Record<string, unknown>;
  return {
    id: typeof id === 'string' && id !== '' ? id : idOf(user),
    kind: 'user',
    user,
    roles: strings(appRoles),
    permissions: strings(permissions),
  };
}

function idOf(user: unknown): string {
  if (typeof user !== 'object' || user === null) return executionId();
  const known = anonymousIds.get(user) ?? executionId();
  anonymousIds.set(user, known);
  return known;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
