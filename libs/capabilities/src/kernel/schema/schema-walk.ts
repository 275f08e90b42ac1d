import type { JsonSchema } from '../json.js';

const SINGLE: ReadonlySet<string> = new Set([
  'additionalProperties',
  'items',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
]);
const LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAP: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);

/** Keywords whose boolean form is kept, as it is more common than the object form. */
const BOOLEAN_KEPT: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

export type SchemaVisitor = (schema: JsonSchema, pointer: readonly (string | number)[]) => JsonSchema;

/** A schema is an object here: the boolean forms are `{}` and `{ not: {} }`. */
export function asSchema(value: unknown): JsonSchema {
  if (value === true || value === undefined) return {};
  if (value === false) return { not: {} };
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};
}

/** A copy of `schema` with every direct subschema replaced by what `visit` returns. */
export function mapSubschemas(
  schema: JsonSchema,
  visit: SchemaVisitor,
  pointer: readonly (string | number)[] = [],
): JsonSchema {
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    copy[keyword] = mapKeyword(keyword, value, visit, pointer);
  }
  return copy;
}

function mapKeyword(
  keyword: string,
  value: unknown,
  visit: SchemaVisitor,
  pointer: readonly (string | number)[],
): unknown {
  if (SINGLE.has(keyword)) {
    if (typeof value === 'boolean' && BOOLEAN_KEPT.has(keyword)) return value;
    return visit(asSchema(value), [...pointer, keyword]);
  }
  if (LIST.has(keyword) && Array.isArray(value)) {
    return value.map((item, index) => visit(asSchema(item), [...pointer, keyword, index]));
  }
  if (MAP.has(keyword) && typeof value === 'object' && value !== null) {
    return mapEntries(value, (item, name) => visit(asSchema(item), [...pointer, keyword, name]));
  }
  return value;
}

/** Keeps names such as `__proto__` as members. */
export function mapEntries(
  source: object,
  visit: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, visit(value, name)]));
}
