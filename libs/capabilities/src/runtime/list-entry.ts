import { CapabilityDefinitionError } from '../contract/capability-definition-error.js';
import type { JsonSchema } from '../kernel/json.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import type { SchemaLike } from '../kernel/standard-schema.js';
import { buildCapability } from './build-capability.js';
import type { Capability } from './capability.js';

/** What a client loads of a capability: never the output schema. */
export interface CapabilityListEntry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
}

/** The `tools/list` entry of a capability. Throws `CapabilityDefinitionError` when it is not well formed. */
export function capabilityToListEntry<User, Permission extends string>(
  capability: Capability<User, Permission>,
): CapabilityListEntry {
  const { definition, problems } = buildCapability(capability);
  if (definition === undefined) throw new CapabilityDefinitionError(problems);
  const { name, description, input, annotations } = definition;
  return {
    name,
    description,
    inputSchema: input.portable,
    annotations: { readOnlyHint: annotations.readOnly, destructiveHint: annotations.destructive },
  };
}

/**
 * What a caller sends for an input schema, as portable JSON Schema: references inlined, no `$schema`.
 * Throws `SchemaConversionError` for a schema that JSON Schema cannot express.
 */
export function toJsonSchema(schema: SchemaLike): JsonSchema {
  return new SchemaCompiler().compileInput(schema, { unknownKeys: 'ignore' }).portable;
}
