import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import type { JsonSchema } from './json.js';
import { toOpenApiSchema } from './openapi-schema.js';
import { SchemaCompiler } from './schema/schema-compiler.js';

const options = { refPrefix: '#/components/schemas/' };
const convert = (schema: JsonSchema) => toOpenApiSchema(schema, options);

describe('toOpenApiSchema (OpenAPI 3.0.3)', () => {
  it.each<[string, JsonSchema, Record<string, unknown>]>([
    [
      'a nullable type',
      { type: ['string', 'null'], minLength: 1 },
      { type: 'string', nullable: true, minLength: 1 },
    ],
    [
      'a nullable union',
      { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] },
      { type: 'string', maxLength: 3, nullable: true },
    ],
    [
      'a nullable enumeration',
      { anyOf: [{ enum: ['a'] }, { type: 'null' }] },
      { type: 'string', enum: ['a', null], nullable: true },
    ],
    ['a constant', { const: 'x' }, { type: 'string', enum: ['x'] }],
    [
      'an exclusive bound',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', minimum: 0, exclusiveMinimum: true },
    ],
    [
      'the stricter of two bounds',
      { type: 'number', minimum: 5, exclusiveMinimum: 0 },
      { type: 'number', minimum: 5 },
    ],
    ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
    ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [
      'a free-form object',
      { type: 'object', additionalProperties: {} },
      { type: 'object', additionalProperties: true },
    ],
    ['an array of anything', { type: 'array' }, { type: 'array', items: {} }],
    ['an empty required list', { type: 'object', required: [] }, { type: 'object' }],
    ['a reference', { $ref: '#/$defs/A' }, { $ref: '#/components/schemas/A' }],
    [
      'a reference with siblings',
      { $ref: '#/$defs/A', description: 'x' },
      { description: 'x', allOf: [{ $ref: '#/components/schemas/A' }] },
    ],
    [
      'a nullable reference',
      { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] },
      { nullable: true, allOf: [{ $ref: '#/components/schemas/A' }] },
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: { not: {} } },
      {
        type: 'array',
        items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        maxItems: 2,
        description: 'Items are positional.',
      },
    ],
    [
      'patterned keys',
      { type: 'object', patternProperties: { '^x': { type: 'string' } } },
      { type: 'object', additionalProperties: { type: 'string' }, description: 'Keys match: /^x/.' },
    ],
    [
      'a condition',
      JSON.parse('{"type":"object","if":{},"then":{}}') as JsonSchema,
      { type: 'object', description: 'Further rules apply under a condition.' },
    ],
  ])('writes %s', (_name, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });

  it('hoists named parts: references only, each part once, a valid document', async () => {
    const Inner = z.object({ n: z.string().nullable(), at: z.date() }).meta({ id: 'Inner' });
    const Tree = z.object({
      v: z.number().positive(),
      get kids() {
        return z.array(Tree);
      },
    });
    const schema = z.object({
      a: Inner,
      b: Inner.nullable(),
      c: z.tuple([z.string(), z.literal(5)]),
      tree: Tree.optional(),
      r: z.record(z.string().regex(/^k/), z.union([z.string(), z.null(), z.number()])),
      u: z.discriminatedUnion('k', [
        z.object({ k: z.literal('x') }),
        z.object({ k: z.literal('y'), n: z.bigint() }),
      ]),
      f: z.array(z.unknown()).min(1).default([1]),
    });
    const { exact, named } = new SchemaCompiler().compileInput(schema, { unknownKeys: 'refuse' });
    const document = {
      openapi: '3.0.3',
      info: { title: 't', version: '1' },
      paths: {
        '/x': {
          post: {
            requestBody: { content: { 'application/json': { schema: convert(exact) } } },
            responses: { '200': { description: 'ok' } },
          },
        },
      },
      components: {
        schemas: Object.fromEntries(Object.entries(named).map(([name, part]) => [name, convert(part)])),
      },
    };
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/\$defs|\$schema|prefixItems|"const"|"exclusiveMinimum":\d/);
    expect(document.components.schemas).toHaveProperty('Inner');
    const result = await new Validator().validate(document);
    expect([result.valid, result.errors]).toEqual([true, undefined]);
    for (const [ref] of text.matchAll(/#\/components\/schemas\/[\w.]+/g)) {
      expect(Object.keys(document.components.schemas)).toContain(ref.slice(options.refPrefix.length));
    }
  });
});
