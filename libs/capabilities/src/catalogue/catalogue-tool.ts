import type { JsonSchema } from '../kernel/json.js';
import { type CapabilityDefinition, isReadOnly } from '../registry/capability-definition.js';

/** What a program may throw at its caller: a declared failure. */
export interface CatalogueFailure {
  readonly tag: string;
  readonly fields: JsonSchema;
}

/** A capability as a model reads about it. */
export interface CatalogueTool {
  readonly name: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** True when a person decides on the call before it runs, unless a policy says otherwise. */
  readonly needsApproval: boolean;
  readonly input: JsonSchema;
  /** Undefined: any JSON value. */
  readonly output: JsonSchema | undefined;
  readonly failures: readonly CatalogueFailure[];
}

const known = new WeakMap<CapabilityDefinition, CatalogueTool>();

/** The catalogue's view of a definition; the same object every time. */
export function catalogueTool(definition: CapabilityDefinition): CatalogueTool {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const tool = Object.freeze(describe(definition));
  known.set(definition, tool);
  return tool;
}

function describe(definition: CapabilityDefinition): CatalogueTool {
  const { name, description, annotations, approval, input, output, failures } = definition;
  return {
    name,
    description,
    readOnly: annotations.readOnly,
    destructive: annotations.destructive,
    needsApproval: approval.required ?? !isReadOnly(definition),
    input: input.exact,
    output: output?.nothing === true ? { type: 'null' } : output?.exact,
    failures: [...failures.values()].map(({ tag, schema }) => ({ tag, fields: schema.exact })),
  };
}
