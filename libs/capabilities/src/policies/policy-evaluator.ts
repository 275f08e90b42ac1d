import type { PolicyStance } from '../contract/policy-stance.js';
import type {
  ApprovalDemand,
  CapabilityPolicyRule,
  PolicyDecision,
  PolicyRequest,
} from '../contract/policy-rule.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import { withTimeLimit } from '../kernel/time-limit.js';

/** One policy's answer. `failed`: it threw, ran out of time or answered nonsense. */
export type Verdict = PolicyDecision | { readonly effect: 'failed'; readonly reason: string };

/** Runs every policy, each with a time limit; never throws. Synchronous while the policies are. */
export function evaluatePolicies(
  rules: readonly CapabilityPolicyRule[],
  request: PolicyRequest,
  timeoutMs: number,
  stances: PolicyStance[],
): readonly Verdict[] | Promise<readonly Verdict[]> {
  const answers = rules.map((rule) => evaluateOne(rule, request, timeoutMs));
  const record = (verdicts: readonly Verdict[]): readonly Verdict[] => {
    verdicts.forEach((verdict, index) => stances.push(stanceOf(rules[index]!, verdict)));
    return verdicts;
  };
  return answers.some((answer) => isPromiseLike(answer))
    ? Promise.all(answers.map(async (answer) => answer)).then(record)
    : record(answers as readonly Verdict[]);
}

function evaluateOne(
  rule: CapabilityPolicyRule,
  request: PolicyRequest,
  timeoutMs: number,
): Verdict | Promise<Verdict> {
  try {
    const answer = rule.evaluate(request);
    if (!isPromiseLike(answer)) return judge(answer);
    return withTimeLimit(answer, timeoutMs).then(judge).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

const failed = (error: unknown): Verdict => ({
  effect: 'failed',
  reason: error instanceof Error ? error.name : 'thrown value',
});

/** Anything but the four well-formed decisions is nonsense, and nonsense denies. */
function judge(answer: unknown): Verdict {
  if (typeof answer !== 'object' || answer === null) return { effect: 'failed', reason: 'no decision' };
  const decision = answer as PolicyDecision;
  switch (decision.effect) {
    case 'allow':
    case 'hide':
      return decision;
    case 'deny':
      return typeof decision.reason === 'string'
        ? decision
        : { effect: 'failed', reason: 'deny without a reason' };
    case 'require-approval':
      return isDemand(decision.demand) ? decision : { effect: 'failed', reason: 'malformed approval demand' };
    default:
      return { effect: 'failed', reason: 'unknown decision' };
  }
}

const BY: ReadonlySet<unknown> = new Set([undefined, 'principal', 'another', 'host']);
const STRENGTH: ReadonlySet<unknown> = new Set([undefined, 'none', 'session', 'webauthn']);
const isWindow = (value: unknown): boolean => value === undefined || (typeof value === 'number' && value > 0);

function isDemand(demand: unknown): demand is ApprovalDemand {
  if (typeof demand !== 'object' || demand === null) return false;
  const { reason, by, quorum, approvers, strength, decideWithin, executeWithin } = demand as ApprovalDemand;
  return (
    typeof reason === 'string' &&
    BY.has(by) &&
    STRENGTH.has(strength) &&
    (quorum === undefined || (Number.isInteger(quorum) && quorum >= 1)) &&
    (approvers === undefined || (Array.isArray(approvers) && approvers.length >= (quorum ?? 1))) &&
    isWindow(decideWithin) &&
    isWindow(executeWithin)
  );
}

function stanceOf(rule: CapabilityPolicyRule, verdict: Verdict): PolicyStance {
  const reason =
    'reason' in verdict
      ? verdict.reason
      : verdict.effect === 'require-approval'
        ? verdict.demand.reason
        : undefined;
  return {
    policy: rule.name,
    phase: rule.phase,
    effect: verdict.effect,
    ...(reason === undefined ? {} : { reason }),
  };
}
