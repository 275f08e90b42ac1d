import { classNames, type StorableClass } from './storable-class.js';

/** Rebuilds a value written by `encodeStorable`. Throws `TypeError` for text that it did not write. */
export function decodeStorable(text: string, classes: readonly StorableClass[] = []): unknown {
  const prototypes = new Map([...classNames(classes)].map(([prototype, name]) => [name, prototype]));
  return read(JSON.parse(text) as unknown, prototypes);
}

type Prototypes = ReadonlyMap<string, object>;

function read(node: unknown, classes: Prototypes): unknown {
  if (!Array.isArray(node)) {
    return typeof node === 'object' && node !== null ? corrupt() : node;
  }
  const [tag, ...parts] = node as [unknown, ...unknown[]];
  switch (tag) {
    case 'u':
      return undefined;
    case 'z':
      return -0;
    case 'o':
      return readMembers({}, parts, classes);
    case 'n':
      return readMembers(Object.create(null) as object, parts, classes);
    case 'a':
      return parts.map((part) => read(part, classes));
    case 'm':
      return new Map(parts.map((part) => readEntry(part, classes)));
    case 's':
      return new Set(parts.map((part) => read(part, classes)));
    case 'c':
      return readInstance(parts, classes);
    default:
      return readScalar(tag, parts[0]);
  }
}

function readScalar(tag: unknown, part: unknown): unknown {
  if (tag === 'd') return new Date(part === null ? NaN : (part as number));
  if (typeof part !== 'string') return corrupt();
  if (tag === 'i') return BigInt(part);
  if (tag === 'b') return Uint8Array.from(Buffer.from(part, 'base64'));
  return tag === 'B' ? Buffer.from(part, 'base64') : corrupt();
}

function readEntry(part: unknown, classes: Prototypes): [unknown, unknown] {
  if (!Array.isArray(part) || part[0] !== 'e') return corrupt();
  return [read(part[1], classes), read(part[2], classes)];
}

function readInstance(parts: readonly unknown[], classes: Prototypes): object {
  const prototype = classes.get(String(parts[0]));
  if (prototype === undefined)
    throw new TypeError(`The stored value needs the class ${String(parts[0])}, which is not declared.`);
  return readMembers(Object.create(prototype) as object, parts.slice(1), classes);
}

function readMembers(target: object, parts: readonly unknown[], classes: Prototypes): object {
  for (let index = 0; index < parts.length; index += 2) {
    const value = read(parts[index + 1], classes);
    // Defined, not assigned: a key named `__proto__` is data, and setters are not run.
    Object.defineProperty(target, String(parts[index]), {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return target;
}

function corrupt(): never {
  throw new TypeError('The stored value is damaged.');
}
