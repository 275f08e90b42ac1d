import type { Principal } from '../kernel/principal.js';

/** Identifies whose a handle is. The credential is left out: tokens are renewed between two requests. */
export function ownerKey(principal: Principal): string {
  return JSON.stringify([principal.tenant, principal.kind, principal.id]);
}
