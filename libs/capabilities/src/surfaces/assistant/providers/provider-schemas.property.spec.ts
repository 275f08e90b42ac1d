import fc from 'fast-check';
import { isRecord, type JsonSchema } from '../../../kernel/json.js';
import { geminiSchema } from './gemini-schema.js';
import { strictSchema } from './strict-schema.js';
import { validateTool } from './validate-tool.js';
import { withoutNulls } from './without-nulls.js';

/** A portable schema and a value that fits it. */
interface Sample {
  readonly schema: JsonSchema;
  readonly value: unknown;
}

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.string().map((value) => ({ schema: { type: 'string', minLength: 0, default: 'x' }, value })),
  fc.integer().map((value) => ({ schema: { type: 'integer', exclusiveMinimum: -9e15 }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean', description: 'On?' }, value })),
  fc.constantFrom('a', 'b').map((value) => ({ schema: { type: 'string', enum: ['a', 'b'] }, value })),
  fc.constant({ schema: { const: true }, value: true }),
  fc.constant({ schema: { anyOf: [{ type: 'string' }, { type: 'null' }] }, value: null }),
  fc.constant({
    schema: { type: 'string', format: 'date-time', pattern: '^(?=2)' },
    value: '2026-01-01T00:00:00Z',
  }),
);

const sample = fc.letrec<{ any: Sample; object: Sample; list: Sample }>((tie) => ({
  any: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie('object'), tie('list')),
  list: fc.array(tie('any'), { minLength: 1, maxLength: 1 }).map(([item]) => ({
    schema: { type: 'array', items: item!.schema, maxItems: 9 },
    value: [item!.value, item!.value],
  })),
  object: fc
    .array(fc.record({ required: fc.boolean(), given: fc.boolean(), member: tie('any') }), { maxLength: 5 })
    .map((members) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(members.map(({ member }, index) => [`p${index}`, member.schema])),
        required: members.flatMap(({ required }, index) => (required ? [`p${index}`] : [])),
        additionalProperties: false,
      },
      value: Object.fromEntries(
        members.flatMap(({ required, given, member }, index) =>
          required || given ? [[`p${index}`, member.value]] : [],
        ),
      ),
    })),
})).object;

/** What a strict model sends: every property, `null` where it has nothing to say. */
function filled(value: unknown, schema: JsonSchema): unknown {
  const { items, properties } = schema;
  if (Array.isArray(value)) return value.map((item) => filled(item, items as JsonSchema));
  if (!isRecord(value) || !isRecord(properties)) return value;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      name in value ? filled(value[name], property as JsonSchema) : null,
    ]),
  );
}

/** Left out and null are one where null is a value of its own. */
function withoutGivenNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutGivenNulls);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutGivenNulls(member)]));
}

describe('the schemas that providers are sent', () => {
  it('keep every limit of strict mode and of Gemini', () => {
    fc.assert(
      fc.property(sample, ({ schema }) => {
        const strict = strictSchema(schema);
        expect(strict).toBeDefined();
        expect(validateTool('openai-strict', { name: 'tool', schema: strict! })).toEqual([]);
        expect(validateTool('gemini', { name: 'tool', schema: geminiSchema(schema) })).toEqual([]);
      }),
    );
  });

  it('lose nothing of strict arguments, and add nothing', () => {
    fc.assert(
      fc.property(sample, ({ schema, value }) => {
        const taken = withoutNulls(filled(value, schema), schema);
        expect(withoutGivenNulls(taken)).toEqual(withoutGivenNulls(value));
        expect(withoutNulls(taken, schema)).toEqual(taken);
      }),
    );
  });

  it.each([
    ['a map', { type: 'object', properties: {}, additionalProperties: { type: 'number' } }],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }],
    ['an intersection', { allOf: [{ type: 'object' }] }],
    ['an untyped place', { description: 'Anything.' }],
  ])('have no strict form with %s', (_what, inner) => {
    const schema = { type: 'object', properties: { inner }, required: ['inner'] };
    expect(strictSchema(schema)).toBeUndefined();
  });
});
