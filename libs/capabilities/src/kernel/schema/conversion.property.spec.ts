import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { z } from 'zod';
import type { JsonSchema } from '../json.js';
import { SchemaCompiler } from './schema-compiler.js';

const compiler = new SchemaCompiler();

/** A schema, JSON values that are often valid for it, and whether the documented union rule is more lenient than its branches. */
interface Sample {
  readonly schema: z.ZodType;
  readonly value: fc.Arbitrary<unknown>;
  readonly unionOfObjects: boolean;
}

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '5', '2026-01-02T03:04:05Z', '2026-02-30T00:00:00Z', 0, -1, 1.5, null, true, [], {}),
);
const leaf = (schema: z.ZodType, value: fc.Arbitrary<unknown>): Sample => ({
  schema,
  value,
  unionOfObjects: false,
});

const leaves: fc.Arbitrary<Sample> = fc.constantFrom(
  leaf(z.string(), fc.string()),
  leaf(z.string().min(2).max(4), fc.string({ maxLength: 6 })),
  leaf(z.string().regex(/^[a-c]*$/), fc.string({ unit: fc.constantFrom('a', 'b', 'd') })),
  leaf(z.number(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  leaf(z.int().min(-3).max(3), fc.integer({ min: -5, max: 5 })),
  leaf(z.number().gt(0).lt(1), fc.double({ min: -1, max: 2, noNaN: true })),
  leaf(z.boolean(), fc.boolean()),
  leaf(z.null(), fc.constant(null)),
  leaf(z.enum(['x', 'y']), fc.constantFrom('x', 'y', 'z')),
  leaf(z.literal(['l', 7]), fc.constantFrom('l', 7, 8)),
  leaf(
    z.date(),
    fc.constantFrom(
      '2026-01-02T03:04:05Z',
      '2024-02-29t23:59:59.5+02:00',
      '2023-02-29T00:00:00Z',
      '2026-01-02',
      '2026-01-02 03:04:05Z',
    ),
  ),
  leaf(z.bigint(), fc.constantFrom('12', '-0', '1.0', '+1', '', '９')),
  leaf(z.unknown(), fc.jsonValue({ maxDepth: 1 })),
  leaf(z.uuid(), fc.uuid()),
  leaf(z.iso.datetime(), fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02')),
);

const key = fc.constantFrom('a', 'b', 'c', 'kind');

function objects(inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const member = fc.tuple(inner, fc.constantFrom('required', 'optional', 'nullable'));
  return fc
    .tuple(
      fc.dictionary(key, member, { maxKeys: 3, noNullPrototype: true }),
      fc.constantFrom('plain', 'strict', 'loose'),
    )
    .map(([members, mode]) => {
      const shape: Record<string, z.ZodType> = {};
      const values: Record<string, fc.Arbitrary<unknown>> = {};
      for (const [name, [sample, presence]] of Object.entries(members)) {
        shape[name] =
          presence === 'optional'
            ? sample.schema.optional()
            : presence === 'nullable'
              ? sample.schema.nullable()
              : sample.schema;
        values[name] = fc.oneof({ weight: 6, arbitrary: sample.value }, { weight: 1, arbitrary: junk });
      }
      const make = mode === 'strict' ? z.strictObject : mode === 'loose' ? z.looseObject : z.object;
      return {
        schema: make(shape),
        value: fc
          .tuple(
            fc.record(values, { noNullPrototype: true, requiredKeys: [] }),
            fc.record(values, { noNullPrototype: true }),
            fc.nat(9),
          )
          .chain(([some, all, dice]) =>
            dice === 0 ? junk.map((extra) => ({ ...all, extra })) : fc.constant(dice < 3 ? some : all),
          ),
        unionOfObjects: Object.values(members).some(([sample]) => sample.unionOfObjects),
      };
    });
}

const { sample: samples } = fc.letrec<{ sample: Sample; object: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    leaves,
    tie('object'),
    tie('sample').map((item): Sample => ({
      schema: z.array(item.schema).max(3),
      value: fc.array(item.value, { maxLength: 4 }),
      unionOfObjects: item.unionOfObjects,
    })),
    tie('sample').map((item): Sample => ({
      schema: z.record(z.string(), item.schema),
      value: fc.dictionary(fc.constantFrom('k', 'l'), item.value, { noNullPrototype: true }),
      unionOfObjects: item.unionOfObjects,
    })),
    fc.tuple(tie('sample'), tie('sample')).map(([a, b]): Sample => ({
      schema: z.tuple([a.schema, b.schema.optional()]),
      value: fc
        .tuple(a.value, b.value)
        .chain((pair) => fc.constantFrom(pair, pair.slice(0, 1), [...pair, 1], [])),
      unionOfObjects: a.unionOfObjects || b.unionOfObjects,
    })),
    fc.tuple(tie('sample'), tie('sample')).map(([a, b]): Sample => ({
      schema: z.union([a.schema, b.schema]),
      value: fc.oneof(a.value, b.value),
      unionOfObjects: true,
    })),
  ),
  object: objects(tie('sample')),
}));

interface Case extends Omit<Sample, 'value'> {
  readonly values: readonly unknown[];
}

const cases: fc.Arbitrary<Case> = objects(samples).chain(({ schema, value, unionOfObjects }) =>
  fc
    .array(value, { minLength: 1, maxLength: 6 })
    .map((values) => ({ schema, values, unionOfObjects, [fc.toStringMethod]: () => JSON.stringify(values) })),
);

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  validateSchema: false,
});
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
const validator = (schema: JsonSchema) => ajv.compile(schema);

describe('conversion against a JSON Schema validator', () => {
  it('agrees: what the advertised schema accepts is accepted, and what it refuses is refused', () => {
    fc.assert(
      fc.property(cases, ({ schema, values, unionOfObjects }) => {
        const compiled = compiler.compileInput(schema, { unknownKeys: 'refuse' });
        const exact = validator(compiled.exact);
        const portable = validator(compiled.portable);
        for (const value of values) {
          const accepted =
            compiled.unknownKey(value) === undefined &&
            (compiled.parse(compiled.decodeWire(value)) as { ok: boolean }).ok;
          const context = JSON.stringify({ exact: compiled.exact, value });
          if (exact(value)) {
            expect([accepted, context]).toEqual([true, context]);
            expect([portable(value), context]).toEqual([true, context]);
          } else if (!unionOfObjects) {
            expect([accepted, context]).toEqual([false, context]);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('agrees where unknown keys are ignored, as to what is accepted', () => {
    fc.assert(
      fc.property(cases, ({ schema, values }) => {
        const compiled = compiler.compileInput(schema, { unknownKeys: 'ignore' });
        const exact = validator(compiled.exact);
        for (const value of values) {
          const { ok } = compiled.parse(compiled.decodeWire(value)) as { ok: boolean };
          expect([ok, JSON.stringify(value)]).toEqual([exact(value), JSON.stringify(value)]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('advertises portable schemas without references, combinators at the root or type arrays', () => {
    fc.assert(
      fc.property(fc.tuple(samples, samples), ([a, b]) => {
        const schema = z.union([z.object({ a: a.schema }), z.object({ b: b.schema })]);
        const { portable } = compiler.compileInput(schema, { unknownKeys: 'refuse' });
        expect(portable['type']).toBe('object');
        expect(
          ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$schema', '$ref'].filter(
            (keyword) => keyword in portable,
          ),
        ).toEqual([]);
        expect(JSON.stringify(portable)).not.toMatch(/"type":\[|x-nest-capabilities/);
        validator(portable);
      }),
      { numRuns: 100 },
    );
  });

  it('describes what an output becomes on the wire', () => {
    fc.assert(
      fc.property(cases, ({ schema, values }) => {
        const source = compiler.compileInput(schema, { unknownKeys: 'ignore' });
        const output = compiler.compileOutput(schema);
        const exact = validator(output.exact);
        for (const value of values) {
          const typed = source.decodeWire(value);
          const parsed = output.parse(typed) as { ok: boolean; value?: unknown };
          if (!parsed.ok) continue;
          const wire = output.toWire(parsed.value);
          expect([exact(wire), JSON.stringify(output.exact), JSON.stringify(wire)]).toEqual([
            true,
            JSON.stringify(output.exact),
            JSON.stringify(wire),
          ]);
        }
      }),
      { numRuns: 150 },
    );
  });
});
