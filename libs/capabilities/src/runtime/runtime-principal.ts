import type { PrincipalInput } from '../kernel/principal.js';

/**
 * The principal of an application's user. Its id is the user's `id` where that is a non-empty string; roles
 * and permissions are copied as material. No user is no principal, and the call is UNAUTHENTICATED.
 */
export function principalOf(user: unknown): PrincipalInput | null {
  if (user === null || user === undefined) return null;
  const { id, appRoles, permissions } = (typeof user === 'object' ? user : {}) as Record<string, unknown>;
  return {
    id: typeof id === 'string' && id !== '' ? id : 'user',
    kind: 'user',
    user,
    roles: strings(appRoles),
    permissions: strings(permissions),
  };
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
