import type { ClientFeature } from '../contract/client-channel.js';
import { mapName } from '../contract/capability-name.js';
import type { Json, JsonSchema } from '../kernel/json.js';
import { isReadOnly, type CapabilityDefinition } from '../registry/capability-definition.js';
import { scanParamHeaders, type ParamHeader } from './param-headers.js';

/** A tool as it is listed and called, worked out once when the server starts. */
export interface ToolEntry {
  readonly definition: CapabilityDefinition;
  /** The mapped name: the only one that is listed and accepted. */
  readonly name: string;
  readonly params: readonly ParamHeader[];
  readonly requires: readonly ClientFeature[];
  readonly task: 'optional' | 'required' | undefined;
  readonly result: 'data' | 'content';
}

/** Throws `TypeError` for a bad `x-mcp-header` annotation. */
export function toolEntry(definition: CapabilityDefinition): ToolEntry {
  const { mcp } = definition;
  const name = mapName(definition.name);
  return Object.freeze({
    definition,
    name,
    params: scanParamHeaders(advertisedInput(definition), name),
    requires: Object.freeze([...(mcp.requires ?? [])]),
    task: mcp.task,
    result: mcp.result ?? 'data',
  });
}

function advertisedInput({ mcp, input }: CapabilityDefinition): JsonSchema {
  return mcp.inputSchema ?? input.portable;
}

/** A tool as clients see it (MCP, "Tool"). */
export type ToolListing = { readonly [member: string]: Json | JsonSchema | undefined };

/**
 * The listing of a capability. `outputSchema` is advertised only when asked for and when the schema describes
 * the whole output; earlier revisions get non-objects wrapped as `{ result }`.
 */
export function capabilityToListEntry(
  definition: CapabilityDefinition,
  form: { readonly era: 'modern' | 'legacy'; readonly outputSchema: boolean },
): ToolListing {
  const { title, description, deprecated, mcp } = definition;
  const outputSchema = form.outputSchema ? outputSchemaOf(definition, form.era) : undefined;
  return {
    name: mapName(definition.name),
    title,
    description: deprecated === false ? description : `${description}${deprecationNote(deprecated)}`,
    inputSchema: advertisedInput(definition),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: hints(definition),
    ...(mcp.icons === undefined ? {} : { icons: mcp.icons }),
  };
}

function deprecationNote(deprecated: true | string): string {
  return deprecated === true ? ' (deprecated)' : ` (deprecated: ${deprecated})`;
}

function hints(definition: CapabilityDefinition): Json {
  const readOnly = isReadOnly(definition);
  return {
    title: definition.title,
    readOnlyHint: readOnly,
    destructiveHint: definition.annotations.destructive,
    idempotentHint: readOnly || definition.idempotent,
    openWorldHint: definition.sideEffect === 'external',
  };
}

function outputSchemaOf(definition: CapabilityDefinition, era: 'modern' | 'legacy'): JsonSchema | undefined {
  const { output, mcp } = definition;
  if (output === undefined || output.nothing || output.opaque.length > 0 || mcp.result === 'content')
    return undefined;
  const { $schema, ...schema } = output.exact;
  void $schema;
  return era === 'modern' || schema['type'] === 'object' ? schema : wrapped(schema);
}

/** `{ result: schema }`: definitions move to the new root, references to the old root follow it. */
function wrapped({ $defs, ...schema }: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { result: movedRoot(schema) },
    required: ['result'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: movedRoot($defs) }),
  };
}

function movedRoot(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(movedRoot);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => {
    const isRoot =
      key === '$ref' &&
      typeof member === 'string' &&
      member.startsWith('#') &&
      !member.startsWith('#/$defs/');
    return [key, isRoot ? `#/properties/result${member.slice(1)}` : movedRoot(member)] as const;
  });
  return Object.fromEntries(entries);
}
