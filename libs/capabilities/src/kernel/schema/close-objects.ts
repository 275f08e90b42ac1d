import type { JsonSchema } from '../json.js';
import { isObjectSchema, mergeIntersection } from './merge-objects.js';
import { dereference, type SchemaDocument } from './schema-references.js';
import { asSchema, mapSubschemas } from './schema-walk.js';

/**
 * Advertises that unknown keys are refused: every object that declares nothing about additional keys
 * gets `additionalProperties: false`. Members of an intersection are merged first, as each would
 * otherwise refuse the keys of the others.
 */
export function closeObjects(document: SchemaDocument): SchemaDocument {
  const close = (schema: JsonSchema): JsonSchema => {
    if (Array.isArray(schema['allOf']) && describesObjects(schema, document.defs))
      return closeIntersection(schema);
    const closed = mapSubschemas(schema, (child, pointer) => (pointer[0] === 'not' ? child : close(child)));
    if (isObjectSchema(schema) && isUndeclared(schema)) return { ...closed, additionalProperties: false };
    return closed;
  };
  const closeIntersection = (schema: JsonSchema): JsonSchema => {
    const merged = mergeIntersection(schema, document.defs);
    if (merged !== undefined) return close(merged);
    const openMember = (schema['allOf'] as unknown[]).some((member) => {
      const target = dereference(asSchema(member), document.defs);
      return 'additionalProperties' in target && target['additionalProperties'] !== false;
    });
    return openMember ? schema : { ...schema, unevaluatedProperties: false };
  };
  return {
    root: close(document.root),
    defs: new Map([...document.defs].map(([name, schema]) => [name, close(schema)])),
  };
}

function isUndeclared(schema: JsonSchema): boolean {
  return (
    !('additionalProperties' in schema) &&
    !('unevaluatedProperties' in schema) &&
    !('patternProperties' in schema && !('properties' in schema))
  );
}

function describesObjects(schema: JsonSchema, defs: SchemaDocument['defs'], depth = 0): boolean {
  const target = dereference(schema, defs);
  if (isObjectSchema(target)) return true;
  if (depth > 16) return false;
  return ['allOf', 'anyOf', 'oneOf'].some((keyword) => {
    const members = target[keyword];
    return (
      Array.isArray(members) && members.some((member) => describesObjects(asSchema(member), defs, depth + 1))
    );
  });
}
