import type { ApprovalDemand } from '../contract/policy-rule.js';
import type { Verdict } from './policy-evaluator.js';

/** The one answer of several policies. */
export type CombinedVerdict =
  | { readonly effect: 'allow' }
  | { readonly effect: 'hide' }
  | { readonly effect: 'failed' }
  | { readonly effect: 'deny'; readonly reason: string }
  | { readonly effect: 'require-approval'; readonly demands: readonly ApprovalDemand[] };

/** Access phase: a hide or a failure wins over everything, then deny, require-approval, allow. */
export function combineAccess(verdicts: readonly Verdict[]): CombinedVerdict {
  if (verdicts.some((verdict) => verdict.effect === 'hide' || verdict.effect === 'failed'))
    return { effect: 'hide' };
  return combine(verdicts);
}

/** Invocation phase: failure > deny > require-approval > allow. A hide is too late here and counts as a failure. */
export function combineInvocation(verdicts: readonly Verdict[]): CombinedVerdict {
  if (verdicts.some((verdict) => verdict.effect === 'hide' || verdict.effect === 'failed'))
    return { effect: 'failed' };
  return combine(verdicts);
}

function combine(verdicts: readonly Verdict[]): CombinedVerdict {
  const demands: ApprovalDemand[] = [];
  for (const verdict of verdicts) {
    if (verdict.effect === 'deny') return { effect: 'deny', reason: verdict.reason };
    if (verdict.effect === 'require-approval') demands.push(verdict.demand);
  }
  return demands.length === 0 ? { effect: 'allow' } : { effect: 'require-approval', demands };
}
