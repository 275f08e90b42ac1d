import { isRecord, type JsonSchema } from '../../../kernel/json.js';

/** The subschema that a local reference names; undefined for any other. */
export function resolveReference(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return undefined;
  if ($ref === '#') return root;
  const definitions = root['$defs'];
  const name = $ref.startsWith('#/$defs/') ? $ref.slice('#/$defs/'.length) : undefined;
  const found = name === undefined || !isRecord(definitions) ? undefined : definitions[name];
  return isRecord(found) ? found : undefined;
}

/** True when `null` fits the schema. A reference is followed once: what recurses is an object. */
export function acceptsNull(schema: JsonSchema, root: JsonSchema): boolean {
  const target = resolveReference(schema, root);
  if (target !== undefined)
    return target['type'] === 'null' || (!('$ref' in target) && acceptsNull(target, {}));
  const { type, enum: values, const: constant } = schema;
  if (constant !== undefined) return constant === null;
  if (Array.isArray(values)) return values.includes(null);
  if (type !== undefined) return type === 'null' || (Array.isArray(type) && type.includes('null'));
  const branches = branchesOf(schema);
  return branches.length === 0 || branches.some((branch) => acceptsNull(branch, root));
}

/** The alternatives of a schema. */
export function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const branches: unknown = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(branches) ? branches.filter(isRecord) : [];
}
