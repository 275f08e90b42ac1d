import type { JsonSchema } from '../json.js';
import { ANNOTATIONS, dereference, type SchemaDocument } from './schema-references.js';
import { asSchema } from './schema-walk.js';

const MERGEABLE: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
]);
const MAX_ALTERNATIVES = 32;

/** True when the schema describes objects by itself. */
export function isObjectSchema(schema: JsonSchema): boolean {
  const type = schema['type'];
  if (type === undefined) return 'properties' in schema;
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** Keys beyond the declared ones: refused, or accepted in this form. */
export function additionalOf(schema: JsonSchema): JsonSchema | undefined {
  const additional = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
  if (additional === undefined || additional === false) return undefined;
  return asSchema(additional);
}

/**
 * The members of an intersection as one object schema, or as alternatives when a member is itself a
 * union: `A & (B | C)` is `(A & B) | (A & C)`. Undefined when they cannot be put together.
 */
export function mergeIntersection(schema: JsonSchema, defs: SchemaDocument['defs']): JsonSchema | undefined {
  const alternatives = objectAlternatives(schema, defs, 0);
  if (alternatives === undefined || alternatives.length === 0) return undefined;
  const notes = Object.fromEntries(Object.entries(schema).filter(([key]) => ANNOTATIONS.has(key)));
  const [only, ...others] = alternatives;
  return others.length === 0 ? { ...only, ...notes } : { ...notes, anyOf: alternatives };
}

/** Every plain object schema that `schema` allows; undefined when it is not made of plain objects. */
function objectAlternatives(
  schema: JsonSchema,
  defs: SchemaDocument['defs'],
  depth: number,
): JsonSchema[] | undefined {
  if (depth > 16) return undefined;
  const { allOf, anyOf, oneOf, ...own } = dereference(schema, defs);
  let result: JsonSchema[] = [{}];
  const ownRules = Object.keys(own).filter((key) => !ANNOTATIONS.has(key));
  if (ownRules.length > 0) {
    if (!isObjectSchema(own) || !ownRules.every((key) => MERGEABLE.has(key))) return undefined;
    result = [own];
  } else if (allOf === undefined && anyOf === undefined && oneOf === undefined) return undefined;
  for (const member of list(allOf)) {
    const parts = objectAlternatives(member, defs, depth + 1);
    if (parts === undefined) return undefined;
    result = combine(result, parts);
    if (result.length === 0) return undefined;
  }
  for (const union of [anyOf, oneOf]) {
    if (union === undefined) continue;
    const parts = list(union).map((branch) => objectAlternatives(branch, defs, depth + 1));
    if (parts.some((part) => part === undefined)) return undefined;
    result = combine(
      result,
      parts.flatMap((part) => part ?? []),
    );
    if (result.length === 0) return undefined;
  }
  return result;
}

/** Every pair of alternatives; none at all when they are too many to write out. */
function combine(left: readonly JsonSchema[], right: readonly JsonSchema[]): JsonSchema[] {
  if (left.length * right.length > MAX_ALTERNATIVES) return [];
  return left.flatMap((a) => right.map((b) => mergeTwo(a, b)));
}

function mergeTwo(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (!isObjectSchema(a)) return b;
  if (!isObjectSchema(b)) return a;
  const properties = new Map<string, JsonSchema>();
  const left = propertiesOf(a);
  const right = propertiesOf(b);
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    properties.set(name, bothOf(left.get(name) ?? covering(a, name), right.get(name) ?? covering(b, name)));
  }
  const required = [...new Set([...strings(a['required']), ...strings(b['required'])])];
  const patterns = { ...(a['patternProperties'] as object), ...(b['patternProperties'] as object) };
  const additional = mergeAdditional(a, b);
  return {
    ...b,
    ...a,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(Object.keys(patterns).length > 0 && { patternProperties: patterns }),
    ...(additional !== undefined && { additionalProperties: additional }),
  };
}

/** A key is known if any member knows it, so one open member opens the whole. */
function mergeAdditional(a: JsonSchema, b: JsonSchema): JsonSchema | false | undefined {
  const left = additionalOf(a);
  const right = additionalOf(b);
  if (left !== undefined || right !== undefined) return bothOf(left, right);
  return a['additionalProperties'] === false || b['additionalProperties'] === false ? false : undefined;
}

/** What an open member asks of a key that only the other member declares. */
function covering(schema: JsonSchema, name: string): JsonSchema | undefined {
  for (const [pattern, value] of Object.entries(schema['patternProperties'] ?? {})) {
    if (new RegExp(pattern, 'u').test(name)) return asSchema(value);
  }
  return additionalOf(schema);
}

function bothOf(a: JsonSchema | undefined, b: JsonSchema | undefined): JsonSchema {
  if (a === undefined || Object.keys(a).length === 0) return b ?? {};
  if (b === undefined || Object.keys(b).length === 0 || JSON.stringify(a) === JSON.stringify(b)) return a;
  return { allOf: [a, b] };
}

/** The declared properties of an object schema. */
export function propertiesOf(schema: JsonSchema): Map<string, JsonSchema> {
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(Object.entries(properties).map(([name, value]) => [name, asSchema(value)]));
}

/** The string items of a keyword such as `required`. */
export function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function list(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.map(asSchema) : [];
}
