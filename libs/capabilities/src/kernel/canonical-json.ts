const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * JSON Canonicalization Scheme (RFC 8785): keys in UTF-16 code unit order, no white space,
 * numbers in ECMAScript form, −0 as `0`. Two values with the same JSON meaning give the same text.
 *
 * Undefined members are left out, as in `JSON.stringify`. Throws `TypeError` for whatever is not
 * I-JSON: lone surrogates, non-finite numbers, bigint, functions, symbols, `undefined` outside a
 * member, cycles and objects that are not plain.
 */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

function write(value: unknown, open: object[]): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      if (!Number.isFinite(value))
        throw new TypeError('Canonical JSON cannot hold a number that is not finite.');
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeContainer(value, open);
    default:
      throw new TypeError(`Canonical JSON cannot hold a ${typeof value}.`);
  }
}

function writeContainer(value: object, open: object[]): string {
  if (open.includes(value)) throw new TypeError('Canonical JSON cannot hold a cycle.');
  open.push(value);
  const text = Array.isArray(value) ? writeArray(value, open) : writeObject(value, open);
  open.pop();
  return text;
}

function writeArray(items: readonly unknown[], open: object[]): string {
  const parts: string[] = [];
  for (const item of items) parts.push(write(item, open));
  return `[${parts.join(',')}]`;
}

function writeObject(value: object, open: object[]): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('Canonical JSON holds plain objects only, no class instances.');
  }
  const record = value as Record<string, unknown>;
  const parts: string[] = [];
  // The default sort compares UTF-16 code units, which is what RFC 8785 section 3.2.3 asks for.
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member !== undefined) parts.push(`${writeString(key)}:${write(member, open)}`);
  }
  return `{${parts.join(',')}}`;
}

function writeString(text: string): string {
  if (LONE_SURROGATE.test(text)) throw new TypeError('Canonical JSON cannot hold a lone surrogate.');
  return JSON.stringify(text);
}
