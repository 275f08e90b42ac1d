import { isRecord, type JsonSchema } from '../../../kernel/json.js';
import { acceptsNull, branchesOf, resolveReference } from './nullable.js';

/**
 * Arguments of a strict tool as the capability's own schema knows them: `null` for a property that may be left out
 * and may not be null is left out.
 */
export function withoutNulls(value: unknown, schema: JsonSchema, root: JsonSchema = schema): unknown {
  const place = resolveReference(schema, root) ?? schema;
  if (Array.isArray(value)) {
    const { items } = place;
    return isRecord(items) ? value.map((item) => withoutNulls(item, items, root)) : value;
  }
  if (!isRecord(value)) return value;
  const shapes = [place, ...branchesOf(place).map((branch) => resolveReference(branch, root) ?? branch)];
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const known = shapes.flatMap((shape) => propertyOf(shape, key));
    if (known.length === 0) return [[key, member]];
    if (member !== null) return [[key, withoutNulls(member, known[0]!.schema, root)]];
    const omitted = known.every(
      ({ schema: property, required }) => !required && !acceptsNull(property, root),
    );
    return omitted ? [] : [[key, member]];
  });
  return Object.fromEntries(entries);
}

function propertyOf(
  shape: JsonSchema,
  key: string,
): { readonly schema: JsonSchema; readonly required: boolean }[] {
  const { properties, required } = shape;
  if (!isRecord(properties) || !Object.hasOwn(properties, key)) return [];
  const schema = properties[key];
  return isRecord(schema) ? [{ schema, required: Array.isArray(required) && required.includes(key) }] : [];
}
