import type { PolicyStance } from '../../contract/policy-stance.js';
import type { ApprovalDemand } from '../../contract/policy-rule.js';
import type { SurfaceId } from '../../contract/surface.js';
import { CapabilityError } from '../../errors/capability-error.js';
import type { Principal } from '../../kernel/principal.js';
import { isPromiseLike } from '../../kernel/promise-like.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import { combineAccess, type CombinedVerdict } from '../../policies/combine-verdicts.js';
import type { PermissionAnswer, PermissionChecker } from '../../policies/permission-checker.js';
import { evaluatePolicies } from '../../policies/policy-evaluator.js';
import type { CallSignal } from '../call-signal.js';
import type { CapabilityPlan } from '../capability-plan.js';
import { ConcealedError } from '../concealed-error.js';
import type { PipelinePorts } from '../pipeline-ports.js';

/** One call as stage 4 sees it: no input. */
export interface AccessCall {
  readonly plan: CapabilityPlan;
  readonly principal: Principal;
  readonly surface: SurfaceId;
  readonly signal: CallSignal;
  readonly executionId: string;
  readonly request: unknown;
  readonly onRoute: boolean;
  /** Receives every stance, refused or not. */
  readonly stances: PolicyStance[];
}

const NO_DEMANDS: readonly ApprovalDemand[] = [];

/**
 * Stage 4: may this principal reach the capability at all? Access policies that hide
 * win over every other denial; then permission, the application's guards, its
 * `authorize`, the remaining access decisions and the rate limit.
 * Returns the approvals that access policies demand.
 */
export async function checkAccess(
  call: AccessCall,
  ports: PipelinePorts,
  permissions: PermissionChecker,
): Promise<readonly ApprovalDemand[]> {
  const { plan, principal, stances } = call;
  const verdict = await accessVerdict(call, ports);
  if (verdict.effect === 'hide') throw new ConcealedError('HIDDEN');
  const asked = permissions.check(principal, plan.definition.permission);
  requirePermission(isPromiseLike(asked) ? await asked : asked, stances);
  await runGuards(call);
  await askAuthorize(call, ports);
  if (verdict.effect === 'deny') throw new CapabilityError('FORBIDDEN', { message: verdict.reason });
  const counted =
    plan.definition.limits === undefined ? undefined : ports.limits?.rate(plan.definition, principal);
  if (isPromiseLike(counted)) await call.signal.race(counted);
  return verdict.effect === 'require-approval' ? verdict.demands : NO_DEMANDS;
}

/** True when stage 4 of this plan cannot take more than a synchronous permission check. */
export function hasSimpleAccess(plan: CapabilityPlan, ports: PipelinePorts): boolean {
  return (
    plan.accessPolicies.length === 0 &&
    plan.definition.handler.guard === undefined &&
    ports.policy?.authorize === undefined &&
    (plan.definition.limits === undefined || ports.limits === undefined)
  );
}

/** Turns the answer into a stance or a refusal. */
export function requirePermission(answer: PermissionAnswer, stances: PolicyStance[]): void {
  if (answer.stance !== undefined) stances.push(answer.stance);
  if (!answer.allowed) throw answer.error;
}

async function accessVerdict(call: AccessCall, ports: PipelinePorts): Promise<CombinedVerdict> {
  const { plan, principal, surface, signal, stances } = call;
  if (plan.accessPolicies.length === 0) return { effect: 'allow' };
  const request = { capability: plan.definition, principal, surface, signal: signal.signal };
  return combineAccess(await evaluatePolicies(plan.accessPolicies, request, ports.policyTimeoutMs, stances));
}

async function runGuards(call: AccessCall): Promise<void> {
  const guard = call.plan.definition.handler.guard;
  if (guard === undefined) return;
  const { executionId, surface, principal, request, onRoute, signal, stances } = call;
  const { definition } = call.plan;
  const asked = { executionId, surface, principal, definition, request, onRoute, signal: signal.signal };
  try {
    const passed = guard(asked);
    if (isPromiseLike(passed)) await signal.race(passed);
    stances.push({ policy: 'guards', phase: 'guard', effect: 'allow' });
  } catch (error) {
    stances.push({ policy: 'guards', phase: 'guard', effect: 'deny' });
    throw error;
  }
}

async function askAuthorize(call: AccessCall, ports: PipelinePorts): Promise<void> {
  const policy = ports.policy;
  if (policy?.authorize === undefined) return;
  const { plan, principal, stances } = call;
  let refusal: unknown;
  try {
    const asked = policy.authorize(plan.definition, principal.user);
    refusal = isPromiseLike(asked) ? await withTimeLimit(asked, ports.policyTimeoutMs) : asked;
  } catch {
    stances.push({ policy: 'authorize', phase: 'authorize', effect: 'failed' });
    throw new CapabilityError('FORBIDDEN');
  }
  if (refusal === null) {
    stances.push({ policy: 'authorize', phase: 'authorize', effect: 'allow' });
    return;
  }
  stances.push({
    policy: 'authorize',
    phase: 'authorize',
    effect: typeof refusal === 'string' ? 'deny' : 'failed',
  });
  throw new CapabilityError(
    'FORBIDDEN',
    typeof refusal === 'string' && refusal !== '' ? { message: refusal } : {},
  );
}
