import type { PolicyStance } from '../../contract/policy-stance.js';
import type { ApprovalDemand } from '../../contract/policy-rule.js';
import type { SurfaceId } from '../../contract/surface.js';
import { CapabilityError } from '../../errors/capability-error.js';
import type { Principal } from '../../kernel/principal.js';
import { combineInvocation } from '../../policies/combine-verdicts.js';
import { evaluatePolicies } from '../../policies/policy-evaluator.js';
import type { CapabilityPlan } from '../capability-plan.js';
import type { PipelinePorts } from '../pipeline-ports.js';

/** Stage 7: every invocation policy looks at a frozen clone of the parsed input. Returns the approvals they demand. */
export async function checkInvocation(
  call: {
    readonly plan: CapabilityPlan;
    readonly principal: Principal;
    readonly surface: SurfaceId;
    readonly signal: AbortSignal;
    readonly stances: PolicyStance[];
  },
  input: unknown,
  ports: PipelinePorts,
): Promise<readonly ApprovalDemand[]> {
  const { plan, principal, surface, signal, stances } = call;
  const request = { capability: plan.definition, principal, surface, input, signal };
  const verdict = combineInvocation(
    await evaluatePolicies(plan.invocationPolicies, request, ports.policyTimeoutMs, stances),
  );
  switch (verdict.effect) {
    case 'allow':
      return [];
    case 'require-approval':
      return verdict.demands;
    case 'deny':
      throw new CapabilityError('FORBIDDEN', { message: verdict.reason });
    default:
      throw new CapabilityError('FORBIDDEN');
  }
}
