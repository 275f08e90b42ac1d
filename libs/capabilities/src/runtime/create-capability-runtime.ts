import type { ImplementedContract } from '../contract/implement.js';
import type { FaultLogger } from '../execution/fault-logger.js';
import type { SchemaLike } from '../kernel/standard-schema.js';
import type { Capability, CapabilityDefinition, CapabilityUser } from './capability.js';
import { CapabilityExecutor } from './capability-executor.js';
import type { CapabilityPolicy } from './capability-policy.js';
import { ConsoleFaultLogger } from './console-fault-logger.js';
import { type ContractCapabilityOptions, defineCapability } from './define-capability.js';

/** How the application names itself to clients. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
}

export interface CapabilityRuntimeOptions<User = CapabilityUser, Permission extends string = string> {
  readonly policy: CapabilityPolicy<User, Permission>;
  readonly serverInfo: McpServerInfo;
  /** Where masked faults are logged. Default standard error. */
  readonly logger?: FaultLogger;
}

/** The runtime, bound to one application's user type, permission type and rules. */
export interface CapabilityRuntime<User = CapabilityUser, Permission extends string = string> {
  readonly serverInfo: McpServerInfo;
  /** See the unbound `defineCapability`. */
  defineCapability<I extends SchemaLike, O extends SchemaLike>(
    definition: CapabilityDefinition<I, O, User, Permission>,
  ): Capability<User, Permission>;
  defineCapability(
    implemented: ImplementedContract,
    options?: ContractCapabilityOptions<Permission>,
  ): Capability<User, Permission>;
  /** See the unbound `runCapability`. */
  runCapability(capability: Capability<User, Permission>, rawArgs: unknown, user: User): Promise<unknown>;
}

/** Binds the runtime once. Throws `TypeError` for a policy without `userHasPermission`. */
export function createCapabilityRuntime<User = CapabilityUser, Permission extends string = string>(
  options: CapabilityRuntimeOptions<User, Permission>,
): CapabilityRuntime<User, Permission> {
  const { policy, serverInfo, logger = new ConsoleFaultLogger() } = options;
  if (typeof policy?.userHasPermission !== 'function') {
    throw new TypeError('createCapabilityRuntime needs a policy with userHasPermission(user, permission).');
  }
  const executor = new CapabilityExecutor(policy, logger);
  return {
    serverInfo,
    defineCapability,
    runCapability: (capability, rawArgs, user) => executor.run(capability, rawArgs, user),
  };
}
