import fc from 'fast-check';
import { toWireJson } from './wire-json.js';

describe('toWireJson', () => {
  it('writes dates as ISO 8601, drops undefined members and keeps the rest', () => {
    const value = {
      at: new Date(0),
      gone: undefined,
      list: [new Date(1), undefined, { a: undefined }],
      '': null,
    };
    expect(toWireJson(value)).toStrictEqual({
      at: '1970-01-01T00:00:00.000Z',
      list: ['1970-01-01T00:00:00.001Z', null, {}],
      '': null,
    });
  });

  it.each([undefined, null, '', 0, false])('keeps %p', (value) => {
    expect(toWireJson(value)).toBe(value);
  });

  it('turns instances into plain objects and honours toJSON', () => {
    class Money {
      constructor(readonly amount: number) {}
    }
    class Tagged {
      toJSON(): unknown {
        return { at: new Date(0) };
      }
    }
    expect(toWireJson([new Money(1), new Tagged(), new URL('http://x.test/')])).toStrictEqual([
      { amount: 1 },
      { at: '1970-01-01T00:00:00.000Z' },
      'http://x.test/',
    ]);
  });

  it.each([
    ['a bigint', { a: [{ b: 1n }] }, 'a.0.b'],
    ['a Map', { m: new Map() }, 'm'],
    ['a Set', { s: new Set() }, 's'],
    ['NaN', [NaN], '0'],
    ['Infinity', { n: -Infinity }, 'n'],
    ['an invalid date', { d: new Date(NaN) }, 'd'],
    ['a function', { f: () => 1 }, 'f'],
    ['a symbol', { s: Symbol('x') }, 's'],
  ])('refuses %s with its path', (_name, value, path) => {
    expect(() => toWireJson(value)).toThrow(TypeError);
    expect(() => toWireJson(value)).toThrow(`found at ${path}.`);
  });

  it('refuses a cycle and bottomless nesting, not shared parts', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['a'] = { b: cyclic };
    expect(() => toWireJson(cyclic)).toThrow('cycle');
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(() => toWireJson(deep)).toThrow(TypeError);
    const shared = { at: new Date(0) };
    expect(toWireJson([shared, shared])).toEqual([
      { at: '1970-01-01T00:00:00.000Z' },
      { at: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  it('shares JSON values instead of copying and agrees with JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toWireJson(value)).toBe(value);
      }),
    );
    fc.assert(
      fc.property(
        fc.object({
          withDate: true,
          withBigInt: false,
          withMap: false,
          withSet: false,
          values: [fc.string(), fc.integer(), fc.constant(undefined)],
        }),
        (value) => {
          let expected: unknown;
          try {
            expected = JSON.parse(JSON.stringify(value));
          } catch {
            return;
          }
          let actual: unknown;
          try {
            actual = toWireJson(value);
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
            return;
          }
          expect(JSON.parse(JSON.stringify(actual))).toEqual(expected);
        },
      ),
    );
  });
});
