import type { CompiledInput } from '../../../kernel/compiled-schema.js';
import { isRecord, type JsonSchema } from '../../../kernel/json.js';
import { toOpenApiSchema } from '../../../kernel/openapi-schema.js';
import type { CapabilityRoute } from '../routes/capability-route.js';

/** The body of a route: its input, without the fields that are read from the path. */
export function bodySchema({ definition, pathParameters }: CapabilityRoute): JsonSchema {
  const { input } = definition;
  if (pathParameters.length === 0) return input.exact;
  const root = objectRoot(input);
  const kept = (name: string): boolean => !pathParameters.includes(name);
  const required = [...input.required].filter(kept);
  const properties = Object.entries(root.properties).filter(([name]) => kept(name));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    ...('additionalProperties' in root.schema
      ? { additionalProperties: root.schema['additionalProperties'] }
      : {}),
  };
}

/** The root as written when it is one object, else its merged properties. */
function objectRoot({ exact, named, properties }: CompiledInput): {
  schema: JsonSchema;
  properties: Record<string, unknown>;
} {
  const name = typeof exact['$ref'] === 'string' ? exact['$ref'].replace('#/$defs/', '') : undefined;
  const schema = name === undefined ? exact : (named[name] ?? exact);
  return { schema, properties: isRecord(schema['properties']) ? schema['properties'] : properties };
}

/** Schema, with its example, and description of a path or query parameter. */
export function parameterSchema(
  input: CompiledInput,
  name: string,
  example: unknown,
): { schema: JsonSchema; description?: string } {
  const property = input.properties[name] ?? {};
  const { description, ...schema } = toOpenApiSchema(property, { refPrefix: '#/components/schemas/' });
  return {
    schema: example === undefined ? schema : { ...schema, example },
    ...(typeof description === 'string' ? { description } : {}),
  };
}
