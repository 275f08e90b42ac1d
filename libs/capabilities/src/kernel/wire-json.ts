/** What a schema declares about a place of an output: whether a bigint may stand there. */
export interface WirePlace {
  readonly bigint: boolean;
  child(key: string | number): WirePlace | undefined;
}

const MAX_DEPTH = 512;

/**
 * The JSON form of a value: `Date` → ISO 8601 string, undefined members dropped, `toJSON()` applied.
 * A bigint becomes a decimal string where `place` declares it. Unchanged parts are shared, not copied.
 *
 * Throws `TypeError`, naming the path and never the value, for an undeclared bigint, `Map`, `Set`,
 * cycle, NaN, Infinity, invalid `Date`, function or symbol.
 */
export function toWireJson(value: unknown, place?: WirePlace): unknown {
  return encode(value, place, { path: [], open: new Set() });
}

interface Walk {
  readonly path: (string | number)[];
  readonly open: Set<object>;
}

function encode(value: unknown, place: WirePlace | undefined, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : refuse(walk, 'a number that is not finite');
    case 'bigint':
      return place?.bigint
        ? value.toString()
        : refuse(walk, 'a bigint that the output schema does not declare');
    case 'object':
      return value === null ? null : encodeObject(value, place, walk);
    default:
      return refuse(walk, `a ${typeof value}`);
  }
}

function encodeObject(value: object, place: WirePlace | undefined, walk: Walk): unknown {
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? refuse(walk, 'an invalid Date') : value.toISOString();
  }
  if (value instanceof Map || value instanceof Set) {
    return refuse(walk, value instanceof Map ? 'a Map' : 'a Set');
  }
  if (walk.open.has(value)) return refuse(walk, 'a cycle');
  if (walk.path.length >= MAX_DEPTH) return refuse(walk, `more than ${MAX_DEPTH} levels`);
  walk.open.add(value);
  const encoded = encodeMembers(value, place, walk);
  walk.open.delete(value);
  return encoded;
}

function encodeMembers(value: object, place: WirePlace | undefined, walk: Walk): unknown {
  if (Array.isArray(value)) return encodeArray(value, place, walk);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return encode(Reflect.apply(toJSON, value, []), place, walk);
  return encodeRecord(value as Record<string, unknown>, place, walk);
}

function encodeArray(items: readonly unknown[], place: WirePlace | undefined, walk: Walk): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    walk.path.push(index);
    const item = encode(items[index], place?.child(index), walk) ?? null;
    walk.path.pop();
    if (copy !== undefined) copy.push(item);
    else if (item !== items[index]) copy = [...items.slice(0, index), item];
  }
  return copy ?? items;
}

function encodeRecord(record: Record<string, unknown>, place: WirePlace | undefined, walk: Walk): unknown {
  const prototype: unknown = Object.getPrototypeOf(record);
  let copy: Record<string, unknown> | undefined =
    prototype === Object.prototype || prototype === null ? undefined : {};
  const keys = Object.keys(record);
  for (const [index, key] of keys.entries()) {
    walk.path.push(key);
    const member = record[key];
    const encoded = encode(member, place?.child(key), walk);
    walk.path.pop();
    if (copy === undefined && (encoded === undefined || encoded !== member)) {
      copy = {};
      for (const earlier of keys.slice(0, index)) setOwn(copy, earlier, record[earlier]);
    }
    if (copy !== undefined && encoded !== undefined) setOwn(copy, key, encoded);
  }
  return copy ?? record;
}

/** Plain assignment of `__proto__` would set the prototype instead of a member. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}

function refuse(walk: Walk, what: string): never {
  const path = walk.path.length === 0 ? 'the root' : walk.path.join('.');
  throw new TypeError(`JSON cannot hold ${what}, found at ${path}.`);
}
