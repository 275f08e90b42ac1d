/**
 * A deep, frozen copy that keeps prototypes. Observers get it, so that nothing they do
 * reaches the value the handler runs with (a frozen object's Date would still be mutable).
 */
export function frozenClone<T>(value: T): T {
  return clone(value, new Map()) as T;
}

function clone(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (value instanceof Date) return new Date(value.getTime());
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return structuredClone(value);
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    seen.set(value, copy);
    for (const item of value) copy.push(clone(item, seen));
    return Object.freeze(copy);
  }
  if (value instanceof Map) {
    const copy = new Map<unknown, unknown>();
    seen.set(value, copy);
    for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = new Set<unknown>();
    seen.set(value, copy);
    for (const item of value) copy.add(clone(item, seen));
    return copy;
  }
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<PropertyKey, unknown>;
  seen.set(value, copy);
  for (const key of Reflect.ownKeys(value)) {
    if (!Object.prototype.propertyIsEnumerable.call(value, key)) continue;
    Object.defineProperty(copy, key, {
      value: clone((value as Record<PropertyKey, unknown>)[key], seen),
      enumerable: true,
    });
  }
  return Object.freeze(copy);
}
