import type { PolicyPhase } from './policy-rule.js';

/** A policy's recorded stance. `failed` covers throws, timeouts and nonsense; it denies. */
export interface PolicyStance {
  readonly policy: string;
  readonly phase: PolicyPhase | 'permission' | 'guard' | 'authorize';
  readonly effect: 'allow' | 'deny' | 'hide' | 'require-approval' | 'failed';
  readonly reason?: string;
}
