import type { Principal } from '../kernel/principal.js';
import type { ApprovalBy, ApprovalStrength, Risk, SideEffect } from './capability-options.js';
import type { SurfaceId } from './surface.js';

/** `access`: before any input is looked at. `invocation`: on the parsed input. */
export type PolicyPhase = 'access' | 'invocation';

/** What a policy may ask for beyond the capability's own approval options; set fields may only tighten. */
export interface ApprovalDemand {
  readonly reason: string;
  readonly by?: ApprovalBy;
  readonly quorum?: number;
  readonly approvers?: readonly string[];
  readonly strength?: ApprovalStrength;
  readonly decideWithin?: number;
  readonly executeWithin?: number;
}

export type PolicyDecision =
  | { readonly effect: 'allow' }
  | { readonly effect: 'deny'; readonly reason: string }
  | { readonly effect: 'hide' }
  | { readonly effect: 'require-approval'; readonly demand: ApprovalDemand };

/** The part of a capability that policies may look at. */
export interface PolicyCapability {
  readonly name: string;
  readonly sideEffect: SideEffect;
  readonly risk: Risk;
  readonly permission: string | null;
  readonly tags: readonly string[];
}

/** What a policy sees. `input` is a frozen clone of the parsed input, absent in the access phase. */
export interface PolicyRequest<Input = unknown> {
  readonly capability: PolicyCapability;
  readonly principal: Principal;
  readonly surface: SurfaceId;
  readonly input?: Input;
  readonly signal: AbortSignal;
}

/** One named policy. A throw, a timeout or a nonsense answer denies. */
export interface CapabilityPolicyRule {
  readonly name: string;
  readonly phase: PolicyPhase;
  /** True when `evaluate` may answer `hide()`; only in the access phase. Default false. */
  readonly hides?: boolean;
  evaluate(request: PolicyRequest): PolicyDecision | Promise<PolicyDecision>;
}

export const allow = (): PolicyDecision => ({ effect: 'allow' });
export const deny = (reason: string): PolicyDecision => ({ effect: 'deny', reason });
export const hide = (): PolicyDecision => ({ effect: 'hide' });
export const requireApproval = (demand: ApprovalDemand): PolicyDecision => ({
  effect: 'require-approval',
  demand,
});
