import { CapabilityDefinitionError } from '../contract/capability-definition-error.js';
import type { ContractBinding } from '../contract/contract-options.js';
import { contractOptions } from '../contract/contract-options.js';
import { type ImplementedContract, isImplementedContract } from '../contract/implement.js';
import type { SchemaLike } from '../kernel/standard-schema.js';
import { buildCapability, buildWith } from './build-capability.js';
import type { AnyCapability, Capability, CapabilityDefinition, CapabilityUser } from './capability.js';

/** What the server adds to an implemented contract. */
export interface ContractCapabilityOptions<Permission extends string = string> extends Pick<
  ContractBinding,
  | 'tags'
  | 'risk'
  | 'policies'
  | 'idempotent'
  | 'retry'
  | 'timeoutMs'
  | 'redact'
  | 'discovery'
  | 'deprecated'
  | 'version'
  | 'mcp'
> {
  /** Asked of the policy. Default none: any authenticated caller. */
  readonly requiredPermission?: Permission;
}

/**
 * Checks and compiles a capability, or an implemented contract. It is exposed on `mcp` and `direct`. Unknown
 * input keys are ignored unless `unknownKeys: 'refuse'`; a contract keeps its own rule.
 * Throws `CapabilityDefinitionError` that lists every problem.
 */
export function defineCapability<User = CapabilityUser, Permission extends string = string>(
  implemented: ImplementedContract,
  options?: ContractCapabilityOptions<Permission>,
): Capability<User, Permission>;
export function defineCapability<
  I extends SchemaLike,
  O extends SchemaLike,
  User = CapabilityUser,
  Permission extends string = string,
>(definition: CapabilityDefinition<I, O, User, Permission>): Capability<User, Permission>;
export function defineCapability(
  declared: ImplementedContract | CapabilityDefinition<SchemaLike, SchemaLike, unknown>,
  options: ContractCapabilityOptions = {},
): AnyCapability {
  return isImplementedContract(declared) ? fromContract(declared, options) : fromDefinition(declared);
}

function fromDefinition(definition: CapabilityDefinition<SchemaLike, SchemaLike, unknown>): AnyCapability {
  const capability: AnyCapability = Object.freeze({ ...definition });
  return refuseProblems(capability, buildCapability(capability).problems);
}

function fromContract(
  { contract, handler }: ImplementedContract,
  { requiredPermission, ...binding }: ContractCapabilityOptions,
): AnyCapability {
  const { name, description, inputSchema, outputSchema, access } = contract;
  const capability: AnyCapability = Object.freeze({
    name,
    description,
    inputSchema,
    outputSchema,
    annotations: { readOnly: access === 'read', destructive: false },
    ...(requiredPermission === undefined ? {} : { requiredPermission }),
    run: handler,
  });
  const declared = contractOptions(contract, {
    risk: 'medium',
    ...binding,
    permission: requiredPermission ?? null,
  });
  return refuseProblems(capability, buildWith(capability, declared).problems);
}

function refuseProblems(
  capability: AnyCapability,
  problems: CapabilityDefinitionError['problems'],
): AnyCapability {
  if (problems.length > 0) throw new CapabilityDefinitionError(problems);
  return capability;
}
