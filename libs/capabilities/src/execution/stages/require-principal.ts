import { CapabilityError } from '../../errors/capability-error.js';
import { completePrincipal, type Principal, type PrincipalInput } from '../../kernel/principal.js';

/** Stage 2: the caller is present and well formed. Throws UNAUTHENTICATED. */
export function requirePrincipal(input: Principal | PrincipalInput | null): Principal {
  const principal = input === null ? undefined : completePrincipal(input);
  if (principal === undefined) throw new CapabilityError('UNAUTHENTICATED');
  return principal;
}
