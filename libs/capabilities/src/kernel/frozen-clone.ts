const TypedArray = Object.getPrototypeOf(Uint8Array) as abstract new () => Uint8Array;

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
  const builtIn = builtInCopy(value);
  if (builtIn !== undefined) return builtIn;
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

/** Objects whose content is not in their properties; undefined for all others. */
function builtInCopy(value: object): object | undefined {
  if (value instanceof Date) return new Date(value.getTime());
  // Its own method, as a Buffer's `slice` shares memory: only these bytes, not the pool they lie in.
  if (value instanceof TypedArray) return Uint8Array.prototype.slice.call(value);
  if (value instanceof ArrayBuffer || value instanceof DataView) return structuredClone(value);
  if (value instanceof URL) return new URL(value);
  return value instanceof URLSearchParams ? new URLSearchParams(value) : undefined;
}
