import { classNames, type StorableClass } from './storable-class.js';

type Path = readonly (string | number)[];

/** Thrown for a value that cannot be stored and read back exactly. Names the place, never the value. */
export class UnstorableValueError extends TypeError {
  constructor(
    /** Keys from the root to the place; empty for the root. */
    readonly path: Path,
    /** What stands there, such as `a function`. */
    readonly what: string,
  ) {
    super(`Cannot store ${what}${path.length === 0 ? '' : `, found at ${path.join('.')}`}.`);
    this.name = 'UnstorableValueError';
  }
}

/**
 * Writes a value as JSON text from which {@link decodeStorable} rebuilds it exactly: JSON, `undefined`, −0,
 * bigint, Date, Map, Set, bytes (`Uint8Array`, `Buffer`), objects without prototype, and instances of the
 * given classes (their own data properties; constructors are not run). Everything else, including cycles,
 * NaN, accessors, symbols and other class instances, throws {@link UnstorableValueError}.
 */
export function encodeStorable(value: unknown, classes: readonly StorableClass[] = []): string {
  return new Writer(classes, false).text(value);
}

/**
 * The same encoding with the keys of every object in UTF-16 order: equal values give equal text, whatever
 * order their keys were written in. The order of arrays, Maps and Sets is part of the value. For hashing.
 */
export function canonicalStorable(value: unknown, classes: readonly StorableClass[] = []): string {
  return new Writer(classes, true).text(value);
}

const MAX_DEPTH = 256;

// Every value that JSON would change is written as an array: its tag, then its parts.
type Node = null | boolean | number | string | readonly [tag: string, ...parts: unknown[]];

class Writer {
  private readonly path: (string | number)[] = [];
  private readonly open = new Set<object>();
  private readonly names: ReadonlyMap<object, string>;

  constructor(
    classes: readonly StorableClass[],
    private readonly sorted: boolean,
  ) {
    this.names = classNames(classes);
  }

  text(value: unknown): string {
    return JSON.stringify(this.node(value));
  }

  private node(value: unknown): Node {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'undefined':
        return ['u'];
      case 'bigint':
        return ['i', value.toString()];
      case 'number':
        if (!Number.isFinite(value)) return this.refuse('a number that is not finite');
        return Object.is(value, -0) ? ['z'] : value;
      case 'object':
        return value === null ? null : this.container(value);
      default:
        return this.refuse(`a ${typeof value}`);
    }
  }

  private container(value: object): Node {
    if (this.open.has(value)) return this.refuse('a cycle');
    if (this.path.length >= MAX_DEPTH) return this.refuse(`more than ${MAX_DEPTH} levels`);
    this.open.add(value);
    const node = this.tagged(value);
    this.open.delete(value);
    return node;
  }

  private tagged(value: object): Node {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype) return ['o', ...this.members(value)];
    if (prototype === null) return ['n', ...this.members(value)];
    if (Array.isArray(value) && prototype === Array.prototype) return ['a', ...this.items(value)];
    if (value instanceof Date && prototype === Date.prototype)
      return this.bare(value, ['d', value.getTime()]);
    if (value instanceof Map && prototype === Map.prototype)
      return this.bare(value, ['m', ...this.entries(value)]);
    if (value instanceof Set && prototype === Set.prototype) {
      return this.bare(value, ['s', ...this.items([...(value as Set<unknown>)])]);
    }
    if (value instanceof Uint8Array) return this.bytes(value, prototype);
    const name = this.names.get(prototype as object);
    if (name !== undefined) return ['c', name, ...this.members(value)];
    return this.refuse(`an instance of ${classNameOf(value)}`);
  }

  private bytes(value: Uint8Array, prototype: unknown): Node {
    const tag = prototype === Uint8Array.prototype ? 'b' : prototype === Buffer.prototype ? 'B' : undefined;
    if (tag === undefined || Reflect.ownKeys(value).length !== value.length)
      return this.refuse('an unknown kind of bytes');
    return [tag, Buffer.from(value).toString('base64')];
  }

  /** Refuses a built-in that carries properties of its own: they would be lost. */
  private bare(value: object, node: Node): Node {
    return Reflect.ownKeys(value).length === 0
      ? node
      : this.refuse('a built-in object with extra properties');
  }

  private members(value: object): unknown[] {
    const keys = Reflect.ownKeys(value);
    const parts: unknown[] = [];
    for (const key of this.sorted ? keys.sort(byText) : keys) {
      if (typeof key === 'symbol') return this.refuse('a symbol key');
      parts.push(
        key,
        this.at(key, () => this.node(this.plainValue(value, key))),
      );
    }
    return parts;
  }

  private plainValue(owner: object, key: string): unknown {
    const property = Object.getOwnPropertyDescriptor(owner, key)!;
    if (!('value' in property)) return this.refuse('an accessor');
    return property.enumerable ? property.value : this.refuse('a hidden property');
  }

  private items(values: readonly unknown[]): Node[] {
    // Own keys of a dense array: its indices and `length`.
    if (Reflect.ownKeys(values).length !== values.length + 1)
      return this.refuse('an array with holes or extra properties');
    return values.map((item, index) => this.at(index, () => this.node(item)));
  }

  private entries(map: ReadonlyMap<unknown, unknown>): Node[] {
    let index = 0;
    const nodes: Node[] = [];
    for (const [key, value] of map) {
      nodes.push(this.at(index, () => ['e', this.node(key), this.node(value)]));
      index++;
    }
    return nodes;
  }

  private at<T>(key: string | number, work: () => T): T {
    this.path.push(key);
    const result = work();
    this.path.pop();
    return result;
  }

  private refuse(what: string): never {
    throw new UnstorableValueError([...this.path], what);
  }
}

const byText = (a: string | symbol, b: string | symbol): number => (String(a) < String(b) ? -1 : 1);

function classNameOf(value: object): string {
  const { constructor } = value as { constructor?: unknown };
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'an unknown class';
}
