import type { Place } from './place-index.js';

/** Deeper values are refused rather than walked: wire input ends at 64 levels, direct input may be cyclic. */
const MAX_DEPTH = 256;

/**
 * The first key of `value` that no branch of the schema knows, as a path; undefined when all are
 * known. Looks at raw values, so types are not judged here: that is the parse's task.
 */
export function findUnknownKey(value: unknown, place: Place, depth = 0): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return [];
  // A branch that takes anything knows every key below it, in lists as in objects.
  if (place.anything) return undefined;
  if (Array.isArray(value)) return findInArray(value, place, depth);
  if (!place.judgesKeys) return undefined;
  if (value instanceof Map || value instanceof Set) return firstEntry(value);
  if (value instanceof Date || ArrayBuffer.isView(value)) return undefined;
  for (const key of Object.keys(value)) {
    const child = place.child(key);
    if (child === undefined) return [key];
    const found = findUnknownKey((value as Record<string, unknown>)[key], child, depth + 1);
    if (found !== undefined) return [key, ...found];
  }
  return undefined;
}

function findInArray(
  items: readonly unknown[],
  place: Place,
  depth: number,
): (string | number)[] | undefined {
  for (let index = 0; index < items.length; index++) {
    const child = place.child(index);
    if (child === undefined) continue;
    const found = findUnknownKey(items[index], child, depth + 1);
    if (found !== undefined) return [index, ...found];
  }
  return undefined;
}

/** No JSON Schema knows an entry of a collection, and a schema library may take one for an empty object. */
function firstEntry(collection: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>): string[] | undefined {
  if (collection.size === 0) return undefined;
  const [key] = collection instanceof Map ? (collection as ReadonlyMap<unknown, unknown>).keys() : [];
  return [typeof key === 'string' ? key : '0'];
}
