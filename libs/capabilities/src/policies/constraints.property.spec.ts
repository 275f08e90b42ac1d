import fc from 'fast-check';
import { checkConstraints, type Constraint, type Constraints, covers, violations } from './constraints.js';

const VALUES = [-2, -1, 0, 1, 2, 'a', 'b', true, false] as const;
const scalar = fc.constantFrom(...VALUES);
const list = fc.array(scalar, { minLength: 1, maxLength: 3 });
const bound = fc.integer({ min: -2, max: 2 });
const operator = fc.oneof(
  fc.record({ min: bound }),
  fc.record({ max: bound }),
  fc.record({ in: list }),
  fc.record({ not_in: list }),
  fc.record({ eq: scalar }),
);
const operators = fc
  .array(operator, { minLength: 1, maxLength: 2 })
  .map((parts): Constraint => Object.assign({}, ...parts) as Constraint);
const constraint: fc.Arbitrary<Constraint> = fc.oneof(
  { weight: 1, arbitrary: scalar },
  { weight: 6, arbitrary: operators },
);
const field = fc.constantFrom('x', 'y', '__proto__');
const own = <T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> =>
  Object.fromEntries(entries);
const constraints: fc.Arbitrary<Constraints> = fc
  .uniqueArray(fc.tuple(field, constraint), { selector: ([name]) => name, maxLength: 2 })
  .map(own);
const inputs = fc.uniqueArray(fc.tuple(field, scalar), { selector: ([name]) => name, maxLength: 3 }).map(own);

const passes = (granted: Constraints, input: Readonly<Record<string, unknown>>): boolean =>
  violations(granted, input).length === 0;

describe('coverage of grants (SI-08)', () => {
  it('means that every value the narrower constraint lets through, the wider one does too', () => {
    fc.assert(
      fc.property(constraint, constraint, (wide, narrow) => {
        fc.pre(covers({ x: wide }, { x: narrow }));
        const escaping = VALUES.filter((x) => passes({ x: narrow }, { x }) && !passes({ x: wide }, { x }));
        expect([wide, narrow, escaping]).toEqual([wide, narrow, []]);
      }),
      { numRuns: 1000 },
    );
  });

  it('holds field by field', () => {
    fc.assert(
      fc.property(constraints, constraints, fc.array(inputs, { maxLength: 10 }), (wide, narrow, samples) => {
        const each = Object.entries(wide).every(
          ([name, one]) =>
            Object.hasOwn(narrow, name) && covers(own([[name, one]]), own([[name, narrow[name]!]])),
        );
        expect(covers(wide, narrow)).toBe(each);
        if (!each) return;
        for (const input of samples) expect(passes(narrow, input) && !passes(wide, input)).toBe(false);
      }),
    );
  });

  it('holds between a grant and itself, and between no constraint and any', () => {
    fc.assert(
      fc.property(constraints, (granted) => {
        expect(checkConstraints(granted)).toEqual([]);
        expect([covers(granted, granted), covers({}, granted)]).toEqual([true, true]);
      }),
    );
  });

  it('is refused where the narrower grant leaves a constrained field open', () => {
    fc.assert(
      fc.property(constraints, field, constraint, (granted, name, extra) => {
        const wide = own([...Object.entries(granted), [name, extra]]);
        const open = own(Object.entries(wide).filter(([key]) => key !== name));
        expect(covers(wide, open)).toBe(false);
      }),
    );
  });

  it.each([
    [{ max: 5 }, { max: 5 }, true],
    [{ max: 5 }, { max: 6 }, false],
    [{ max: 5 }, 5, true],
    [{ max: 5 }, { in: [1, 5] }, true],
    [{ max: 5 }, { in: [1, 6] }, false],
    [{ in: ['a', 'b'] }, { eq: 'a' }, true],
    [{ in: ['a', 'b'] }, { not_in: ['c'] }, false],
    [{ not_in: ['c'] }, { not_in: ['c', 'd'] }, true],
    [{ not_in: ['c', 'd'] }, { not_in: ['c'] }, false],
    [{ min: 1, max: 5 }, { min: 2 }, false],
    ['a', { in: ['a'] }, true],
  ] as const)('of %j over %j is %p', (wide, narrow, expected) => {
    expect(covers({ x: wide }, { x: narrow })).toBe(expected);
  });

  it.each([{}, { between: [1, 2] }, { min: '1' }, { max: Number.NaN }, { in: [] }, { eq: [] }, null, [1]])(
    'never holds with %j, which nobody could grant',
    (broken) => {
      expect(checkConstraints({ x: broken })).toMatchObject([{ field: 'x' }]);
      expect(covers({ x: broken as never }, { x: 1 })).toBe(false);
      expect(covers({ x: 1 }, { x: broken as never })).toBe(false);
    },
  );
});
