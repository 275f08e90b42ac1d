import { Injectable } from '@nestjs/common';
import fc from 'fast-check';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { BASE, boot, closeApps, execute, reader, resultOf } from '../nest/support.js';

afterAll(closeApps);

const INPUT = z.object({ value: z.unknown().optional(), other: z.unknown().optional() });
let ran = 0;

@Injectable()
class Host {
  @Capability({ ...BASE, name: 'act', inputSchema: INPUT })
  act(_input: z.output<typeof INPUT>): void {
    ran += 1;
  }
}

type App = Awaited<ReturnType<typeof boot>>;
let app: App;
beforeAll(async () => {
  app = await boot({ providers: [Host] });
});

/** One call under a grant that constrains `value`. */
async function callWith(constraint: unknown, input: object): Promise<string> {
  const principal = { ...reader, grants: { act: { constraints: { value: constraint } } } };
  return resultOf(await execute(app, 'act', { principal }, input));
}

const REFUSED = 'CONSTRAINT_VIOLATED';

describe('values under a grant (SI-08)', () => {
  const operators: readonly (readonly [constraint: unknown, within: unknown])[] = [
    [7, 7],
    ['seven', 'seven'],
    [true, true],
    [{ eq: 7 }, 7],
    [{ min: 5 }, 7],
    [{ max: 9 }, 7],
    [{ in: [6, 7] }, 7],
    [{ not_in: [6, 8] }, 7],
  ];
  const never: readonly (readonly [what: string, input: object])[] = [
    ['missing', {}],
    ['undefined', { value: undefined }],
    ['null', { value: null }],
    ['NaN', { value: Number.NaN }],
    ['infinite', { value: Number.POSITIVE_INFINITY }],
    ['a list', { value: [7] }],
    ['an object', { value: { valueOf: () => 7 } }],
    ['a bigint', { value: 7n }],
    ['a date', { value: new Date(7) }],
    ['inherited', Object.create({ value: 7 }) as object],
  ];

  it.each(operators)('%j lets %p through, and nothing that is no plain value', async (constraint, within) => {
    ran = 0;
    expect(await callWith(constraint, { value: within })).toBe('completed');
    expect(ran).toBe(1);
    for (const [what, input] of never) {
      expect([what, await callWith(constraint, input)]).toEqual([what, REFUSED]);
    }
    expect(ran).toBe(1);
  });

  it.each([[{}], [null], [{ between: [1, 9] }], [{ min: '5' }], [{ in: [] }], [{ min: 5, maxx: 9 }], [[7]]])(
    'under %j, which nobody could grant, nothing passes',
    async (constraint) => {
      expect(await callWith(constraint, { value: 7 })).toBe(REFUSED);
    },
  );

  it('pass exactly where every operator of the grant holds', async () => {
    const scalar = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom('a', 'b'), fc.boolean());
    const grants = fc.record(
      {
        eq: scalar,
        min: fc.integer({ min: -3, max: 3 }),
        max: fc.integer({ min: -3, max: 3 }),
        in: fc.array(scalar, { minLength: 1, maxLength: 4 }),
        not_in: fc.array(scalar, { minLength: 1, maxLength: 4 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    const holds: Readonly<Record<string, (bound: never, value: unknown) => boolean>> = {
      eq: (bound: unknown, value) => Object.is(bound, value),
      min: (bound: number, value) => typeof value === 'number' && !(value < bound),
      max: (bound: number, value) => typeof value === 'number' && !(value > bound),
      in: (bound: readonly unknown[], value) => bound.indexOf(value) >= 0,
      not_in: (bound: readonly unknown[], value) => bound.indexOf(value) < 0,
    };
    await fc.assert(
      fc.asyncProperty(grants, scalar, async (grant, value) => {
        fc.pre(Object.keys(grant).length > 0);
        const all = Object.entries(grant).every(([operator, bound]) =>
          holds[operator]!(bound as never, value),
        );
        expect(await callWith(grant, { value })).toBe(all ? 'completed' : REFUSED);
      }),
      { numRuns: 400 },
    );
  });
});
