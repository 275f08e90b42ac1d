import type { Capability } from './capability.js';
import { CapabilityExecutor } from './capability-executor.js';
import type { CapabilityPolicy } from './capability-policy.js';
import { ConsoleFaultLogger } from './console-fault-logger.js';

const executors = new WeakMap<object, CapabilityExecutor>();

/**
 * Runs one capability: permission, the policy's `authorize`, one input parse, `run`, output parse. Absent
 * arguments are `{}`. Returns the parsed output, or the tool error that `run` returned or threw.
 * Throws `CapabilityError` for every other refusal or fault; faults are masked, logged once to standard error
 * and kept as `cause`. Throws `CapabilityDefinitionError` for a capability that is not well formed.
 */
export function runCapability<User, Permission extends string>(
  capability: Capability<User, Permission>,
  rawArgs: unknown,
  user: User,
  policy: CapabilityPolicy<User, Permission>,
): Promise<unknown> {
  const known = executors.get(policy);
  const executor = known ?? new CapabilityExecutor(policy, new ConsoleFaultLogger());
  if (known === undefined) executors.set(policy, executor);
  return executor.run(capability, rawArgs, user);
}
