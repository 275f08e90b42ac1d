import { isRecord, type JsonSchema } from '../../../kernel/json.js';
import { mapSubschemas } from '../../../kernel/schema/schema-walk.js';
import { acceptedKeywords, type AcceptedSchema } from './keyword-filter.js';
import { acceptsNull } from './nullable.js';

/** What OpenAI documents for strict schemas; see the rules in `openai-strict-rules.ts`. */
export const STRICT_KEYWORDS: AcceptedSchema = {
  keywords: new Set(
    (
      'type title description enum const properties required additionalProperties items anyOf $ref $defs pattern format ' +
      'multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'
    ).split(' '),
  ),
  formats: new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' ')),
};

const UNSUPPORTED = [
  'allOf',
  'not',
  'if',
  'prefixItems',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
];

/** A schema that has no strict form. */
class NoStrictForm extends Error {}

/**
 * The strict form of a portable schema: closed objects, every property required, and what may be left out nullable
 * instead. Undefined when there is none (maps, tuples, intersections, untyped places): such a tool is sent without
 * `strict`. {@link withoutNulls} undoes the nulls before the call.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  const convert = (place: JsonSchema): JsonSchema => {
    if (UNSUPPORTED.some((keyword) => keyword in place)) throw new NoStrictForm();
    if (typeof place['$ref'] === 'string') return { $ref: place['$ref'], ...definitions(place, convert) };
    const { oneOf, ...rest } = place;
    const plain = oneOf === undefined ? rest : { ...rest, anyOf: oneOf };
    if (!('type' in plain || 'anyOf' in plain || 'enum' in plain || 'const' in plain))
      throw new NoStrictForm();
    const mapped = acceptedKeywords(mapSubschemas(plain, convert), STRICT_KEYWORDS);
    return plain['type'] === 'object' ? closed(mapped, plain, schema) : mapped;
  };
  try {
    return convert(schema);
  } catch (error) {
    if (error instanceof NoStrictForm) return undefined;
    throw error;
  }
}

function definitions(place: JsonSchema, convert: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const { $defs } = place;
  if (!isRecord($defs)) return {};
  return {
    $defs: Object.fromEntries(
      Object.entries($defs).map(([name, value]) => [name, convert(value as JsonSchema)]),
    ),
  };
}

/** A map from arbitrary keys has no strict form; an open object is narrowed to the properties it names. */
function closed(mapped: JsonSchema, original: JsonSchema, root: JsonSchema): JsonSchema {
  const properties = isRecord(mapped['properties']) ? mapped['properties'] : {};
  const names = Object.keys(properties);
  const { additionalProperties: open, required } = original;
  if (names.length === 0 && open !== undefined && open !== false) throw new NoStrictForm();
  const given: readonly unknown[] = Array.isArray(required) ? required : [];
  const before = isRecord(original['properties']) ? original['properties'] : {};
  const entries = names.map((name) => {
    const property = properties[name] as JsonSchema;
    const optional = !given.includes(name) && !acceptsNull(before[name] as JsonSchema, root);
    return [name, optional ? orNull(property) : property] as const;
  });
  return { ...mapped, properties: Object.fromEntries(entries), required: names, additionalProperties: false };
}

function orNull({ description, anyOf, ...schema }: JsonSchema): JsonSchema {
  const branches: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [schema];
  return { anyOf: [...branches, { type: 'null' }], ...(description === undefined ? {} : { description }) };
}
