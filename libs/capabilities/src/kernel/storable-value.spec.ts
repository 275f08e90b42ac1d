import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { decodeStorable } from './storable-reader.js';
import { canonicalStorable, encodeStorable, UnstorableValueError } from './storable-value.js';

class Line {
  amount!: bigint;
  when!: Date;
}
class Order {
  id!: string;
  lines!: Line[];
  get total(): number {
    return this.lines.length;
  }
}
const classes = [Order, Line];
const roundTrip = (value: unknown): unknown => decodeStorable(encodeStorable(value, classes), classes);

const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\u0000', '\ud800', '__proto__', '["o"]'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom(null, undefined, -0),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1')), tie('value'), {
      maxKeys: 4,
    }),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => new Set(items)),
    fc.record({ amount: fc.bigInt(), when: fc.date() }).map((fields) => Object.assign(new Line(), fields)),
  ),
}));

describe('storable values', () => {
  it('come back exactly: types, prototypes, order of keys', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const back = roundTrip(value);
        expect(isDeepStrictEqual(back, value)).toBe(true);
        expect(encodeStorable(back, classes)).toBe(encodeStorable(value, classes));
      }),
    );
  });

  it('rebuild declared classes without running constructors', () => {
    const order = Object.assign(new Order(), {
      id: 'o1',
      lines: [Object.assign(new Line(), { amount: 5n, when: new Date(7) })],
    });
    const back = roundTrip(order) as Order;
    expect(back).toBeInstanceOf(Order);
    expect(back.lines[0]).toBeInstanceOf(Line);
    expect(back).toStrictEqual(order);
    expect(back.total).toBe(1);
  });

  it('keep two classes of one name apart', () => {
    const [A, B] = [
      class Same {
        a = 1;
      },
      class Same {
        b = 2;
      },
    ];
    const text = encodeStorable([new A(), new B()], [A, B]);
    const [a, b] = decodeStorable(text, [A, B]) as [object, object];
    expect([a instanceof A, b instanceof B, b instanceof A]).toEqual([true, true, false]);
  });

  it('own `__proto__` keys stay data', () => {
    const hostile = JSON.parse('{"__proto__":{"isAdmin":true}}') as object;
    const back = roundTrip(hostile) as Record<string, unknown>;
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(Object.keys(back)).toEqual(['__proto__']);
    expect(back['isAdmin']).toBeUndefined();
  });

  it.each<[string, unknown, string, RegExp]>([
    ['a function', { a: { b: () => 1 } }, 'a.b', /a function/],
    ['a symbol', [1, Symbol('s')], '1', /a symbol/],
    ['a symbol key', { [Symbol('s')]: 1 }, '', /symbol key/],
    ['NaN', { n: NaN }, 'n', /not finite/],
    ['Infinity', new Map([['k', Infinity]]), '0', /not finite/],
    ['an unknown class', { url: new URL('http://x.test') }, 'url', /instance of URL/],
    ['an error', { e: new Error('x') }, 'e', /instance of Error/],
    ['an undeclared class', { f: new (class Foreign {})() }, 'f', /instance of Foreign/],
    ['a date subclass', { d: new (class Stamp extends Date {})() }, 'd', /instance of Stamp/],
    [
      'an accessor',
      {
        get live() {
          return 1;
        },
      },
      'live',
      /accessor/,
    ],
    ['a hidden property', Object.defineProperty({}, 'h', { value: 1 }), 'h', /hidden/],
    ['a sparse array', { a: [, 1] }, 'a', /holes/], // eslint-disable-line no-sparse-arrays
    ['an array with properties', Object.assign([1], { extra: 1 }), '', /extra/],
    ['a map with properties', Object.assign(new Map(), { extra: 1 }), '', /extra/],
    ['other bytes', { b: new Uint16Array(2) }, 'b', /instance of Uint16Array/],
    ['a promise', { p: Promise.resolve() }, 'p', /instance of Promise/],
  ])('refuse %s, naming the place', (_name, value, path, message) => {
    let error: unknown;
    try {
      encodeStorable(value, classes);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(UnstorableValueError);
    expect((error as UnstorableValueError).path.join('.')).toBe(path);
    expect((error as UnstorableValueError).message).toMatch(message);
  });

  it('refuse cycles and bottomless nesting, but allow the same object twice', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(() => encodeStorable(loop)).toThrow(/cycle/);
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(() => encodeStorable(deep)).toThrow(/levels/);
    const shared = { a: 1 };
    expect(roundTrip([shared, shared])).toEqual([shared, shared]);
  });

  it('refuse to read what they did not write', () => {
    for (const text of [
      '{}',
      '["x",1]',
      '["i",5]',
      '["m",1]',
      '["c","Nobody"]',
      '[]',
      '["b",null]',
      'nonsense',
    ]) {
      expect(() => decodeStorable(text, classes)).toThrow();
    }
  });
});

describe('canonical form', () => {
  it('does not depend on the order of keys, and does depend on everything else', () => {
    const canonical = (value: unknown): string => canonicalStorable(value, classes);
    expect(canonical({ a: 1, b: { d: 2n, c: [1, 2] } })).toBe(canonical({ b: { c: [1, 2], d: 2n }, a: 1 }));
    const different = [
      1,
      '1',
      1n,
      true,
      null,
      undefined,
      [1],
      { a: 1 },
      new Set([1]),
      new Date(1),
      Buffer.from('1'),
      -0,
      0,
    ];
    expect(new Set(different.map(canonical)).size).toBe(different.length);
    expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
    expect(canonical({ a: undefined })).not.toBe(canonical({}));
  });

  it('is equal for every permutation of keys', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string(), anyValue), { selector: ([key]) => key, maxLength: 6 }),
        (entries) => {
          expect(canonicalStorable(Object.fromEntries(entries.toReversed()), classes)).toBe(
            canonicalStorable(Object.fromEntries(entries), classes),
          );
        },
      ),
    );
  });
});
