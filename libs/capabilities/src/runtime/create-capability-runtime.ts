import type { ImplementedContract } from '../contract/implement.js';
import type { SchemaLike } from '../kernel/standard-schema.js';
import type { JsonRpcResponse } from '../protocol/json-rpc.js';
import type { Capability, CapabilityDefinition, CapabilityUser } from './capability.js';
import { CapabilityExecutor } from './capability-executor.js';
import { ConsoleFaultLogger } from './console-fault-logger.js';
import { type ContractCapabilityOptions, defineCapability } from './define-capability.js';
import {
  type McpCallOptions,
  type McpHandlerOptions,
  McpHandlers,
  type McpServerInfo,
} from './mcp-handlers.js';

/** What a runtime is bound to. */
export type CapabilityRuntimeOptions<
  User = CapabilityUser,
  Permission extends string = string,
> = McpHandlerOptions<User, Permission>;

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
  /** See the unbound `handleMcpRpc`. */
  handleMcpRpc(
    message: unknown,
    user: User,
    capabilities: readonly Capability<User, Permission>[],
    call?: McpCallOptions,
  ): Promise<JsonRpcResponse | null>;
}

/** Binds the runtime once. Throws `TypeError` for a policy without `userHasPermission`, and for a short secret. */
export function createCapabilityRuntime<User = CapabilityUser, Permission extends string = string>(
  options: CapabilityRuntimeOptions<User, Permission>,
): CapabilityRuntime<User, Permission> {
  const { policy, serverInfo, logger = new ConsoleFaultLogger() } = options;
  if (typeof policy?.userHasPermission !== 'function') {
    throw new TypeError('createCapabilityRuntime needs a policy with userHasPermission(user, permission).');
  }
  const executor = new CapabilityExecutor(policy, logger);
  const handlers = new McpHandlers({ ...options, logger });
  return {
    serverInfo,
    defineCapability,
    runCapability: (capability, rawArgs, user) => executor.run(capability, rawArgs, user),
    handleMcpRpc: (message, user, capabilities, call) => handlers.handle(message, user, capabilities, call),
  };
}
