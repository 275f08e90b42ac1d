import type { Place } from './place-index.js';

const MAX_DEPTH = 256;

/**
 * `value` without the keys that the schema does not know, at every depth. Unchanged parts are shared.
 * Of a class instance the declared properties are read, accessors included.
 */
export function pruneKeys(value: unknown, place: Place, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return pruneItems(value, place, depth);
  if (
    !place.judgesKeys ||
    value instanceof Date ||
    value instanceof Map ||
    value instanceof Set ||
    ArrayBuffer.isView(value)
  )
    return value;
  const source = value as Record<string, unknown>;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  const keys = isPlain ? Object.keys(source) : place.declaredKeys().filter((key) => key in source);
  const kept: Record<string, unknown> = {};
  let changed = !isPlain;
  for (const key of keys) {
    const child = place.child(key);
    const pruned = child === undefined ? undefined : pruneKeys(source[key], child, depth + 1);
    if (child !== undefined) kept[key] = pruned;
    if (child === undefined || pruned !== source[key]) changed = true;
  }
  return changed ? kept : value;
}

function pruneItems(items: readonly unknown[], place: Place, depth: number): unknown {
  const pruned = items.map((item, index) => {
    const child = place.child(index);
    return child === undefined ? item : pruneKeys(item, child, depth + 1);
  });
  return pruned.some((item, index) => item !== items[index]) ? pruned : items;
}
