import type { PolicyStance } from '../contract/policy-stance.js';
import { CapabilityError } from '../errors/capability-error.js';
import type { Principal } from '../kernel/principal.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import type { CapabilityPolicy } from './capability-policy.js';

/** The answer to "may this principal?". */
export type PermissionAnswer =
  | { readonly allowed: true; readonly stance: PolicyStance | undefined }
  | { readonly allowed: false; readonly stance: PolicyStance; readonly error: CapabilityError };

const GRANTED: PermissionAnswer = { allowed: true, stance: undefined };

/** Asks the application's policy; a throw, a timeout or anything but `true` denies. */
export class PermissionChecker {
  constructor(
    private readonly policy: CapabilityPolicy<unknown, string> | undefined,
    private readonly timeoutMs: number,
  ) {}

  /** Synchronous while the policy is. */
  check(principal: Principal, permission: string | null): PermissionAnswer | Promise<PermissionAnswer> {
    if (permission === null) return GRANTED;
    if (principal.kind === 'anonymous')
      return this.refused('anonymous', new CapabilityError('UNAUTHENTICATED'));
    try {
      const missing = this.missingScope(principal, permission);
      if (missing !== undefined) {
        return this.refused('scope', new CapabilityError('FORBIDDEN', { missingScopes: [missing] }));
      }
      if (this.policy === undefined) return this.refused('no policy', new CapabilityError('FORBIDDEN'));
      const answer = this.policy.userHasPermission(principal.user, permission);
      if (!isPromiseLike(answer)) return this.judge(answer);
      return withTimeLimit(answer, this.timeoutMs).then(
        (value) => this.judge(value),
        () => this.failed(),
      );
    } catch {
      return this.failed();
    }
  }

  private missingScope(principal: Principal, permission: string): string | undefined {
    if (principal.scopes === undefined) return undefined;
    const scope = this.policy?.scopeOf?.(permission) ?? permission;
    return principal.scopes.includes(scope) ? undefined : scope;
  }

  private judge(answer: unknown): PermissionAnswer {
    if (answer === true) {
      return { allowed: true, stance: { policy: 'permission', phase: 'permission', effect: 'allow' } };
    }
    return answer === false ? this.refused('policy', new CapabilityError('FORBIDDEN')) : this.failed();
  }

  private failed(): PermissionAnswer {
    const stance: PolicyStance = { policy: 'permission', phase: 'permission', effect: 'failed' };
    return { allowed: false, stance, error: new CapabilityError('FORBIDDEN') };
  }

  private refused(reason: string, error: CapabilityError): PermissionAnswer {
    return {
      allowed: false,
      error,
      stance: { policy: 'permission', phase: 'permission', effect: 'deny', reason },
    };
  }
}
