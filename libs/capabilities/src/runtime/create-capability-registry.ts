import { CapabilityDefinitionError } from '../contract/capability-definition-error.js';
import { CapabilityRegistry } from '../registry/capability-registry.js';
import type { CapabilityDefinition as CompiledCapability } from '../registry/capability-definition.js';
import { checkCatalogue } from '../registry/check-catalogue.js';
import { buildCapability, catalogueEntry } from './build-capability.js';
import type { AnyCapability, Capability, CapabilityUser } from './capability.js';

/** The capabilities of one application, complete and read-only. */
export interface ExplicitRegistry<User = CapabilityUser, Permission extends string = string> {
  /** The capability of that exact name, or undefined. */
  get(name: string): Capability<User, Permission> | undefined;
  /** Every capability, ordered by name. */
  all(): readonly Capability<User, Permission>[];
  /** The compiled definitions, for a runner or a protocol. */
  readonly compiled: CapabilityRegistry;
}

/**
 * Collects capabilities under their names. Throws one `CapabilityDefinitionError` for every capability that is
 * not well formed, for a name that is used twice and for names that differ only by `.` and `_`.
 */
export function createCapabilityRegistry<User = CapabilityUser, Permission extends string = string>(
  capabilities: readonly Capability<User, Permission>[],
): ExplicitRegistry<User, Permission> {
  const values = capabilities as readonly AnyCapability[];
  const results = values.map((capability) => buildCapability(capability));
  const problems = [
    ...results.flatMap((result) => result.problems),
    ...checkCatalogue(values.map(catalogueEntry)),
  ];
  if (problems.length > 0) throw new CapabilityDefinitionError(problems);
  const compiled = new CapabilityRegistry();
  compiled.seal(results.map((result) => result.definition as CompiledCapability));
  const byName = new Map(capabilities.map((capability) => [capability.name, capability]));
  return Object.freeze({
    compiled,
    get: (name: string) => byName.get(name),
    all: () => compiled.all().map(({ name }) => byName.get(name)!),
  });
}
