import type { CapabilityPolicyRule } from '../contract/policy-rule.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import { isReadOnly } from '../registry/capability-definition.js';
import type { PipelinePorts } from './pipeline-ports.js';

/** What the pipeline of one capability has to do, worked out once: a stage with nothing to do costs nothing. */
export interface CapabilityPlan {
  readonly definition: CapabilityDefinition;
  readonly accessPolicies: readonly CapabilityPolicyRule[];
  readonly invocationPolicies: readonly CapabilityPolicyRule[];
  /** True when policies, context, hooks or redaction will look at the input: they get a frozen clone. */
  readonly observed: boolean;
  /** True when a slot or a budget has to be taken before the call. */
  readonly takes: boolean;
  /** True when the call may change something: no stored `started`, no effect. */
  readonly effect: boolean;
}

/** Composes the plan of a capability. */
export function planCapability(definition: CapabilityDefinition, ports: PipelinePorts): CapabilityPlan {
  const rules = [...ports.policies, ...definition.policies];
  const invocationPolicies = rules.filter((rule) => rule.phase === 'invocation');
  return {
    definition,
    accessPolicies: rules.filter((rule) => rule.phase === 'access'),
    invocationPolicies,
    observed:
      invocationPolicies.length > 0 ||
      ports.context !== undefined ||
      ports.hooks.length > 0 ||
      (ports.limits !== undefined && definition.limits?.budget !== undefined),
    takes: ports.limits !== undefined && definition.limits !== undefined,
    effect: !isReadOnly(definition),
  };
}
