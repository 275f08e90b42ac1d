import * as v from 'valibot';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import type { CompiledInput, ParseResult } from '../compiled-schema.js';
import type { SchemaLike } from '../standard-schema.js';
import { SchemaCompiler } from './schema-compiler.js';
import { SchemaConversionError } from './schema-conversion-error.js';

const compiler = new SchemaCompiler();
const input = (schema: SchemaLike | undefined, unknownKeys: 'refuse' | 'ignore' = 'refuse'): CompiledInput =>
  compiler.compileInput(schema, { unknownKeys });
const issuesOf = async (result: ParseResult | Promise<ParseResult>) => {
  const settled = await result;
  return settled.ok ? [] : settled.issues;
};
const fieldsOf = async (result: ParseResult | Promise<ParseResult>) =>
  (await issuesOf(result)).map((issue) => issue.path.join('.'));

const action = z.discriminatedUnion('action', [
  z.object({ action: z.literal('create'), title: z.string() }),
  z.object({ action: z.literal('delete'), id: z.string() }),
]);

describe('a union as the whole input', () => {
  it('is advertised as one object with every property and the discriminator as enumeration', () => {
    const { portable } = input(action);
    expect(portable).toMatchObject({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['create', 'delete'] },
        title: { type: 'string' },
        id: { type: 'string' },
      },
      required: ['action'],
      additionalProperties: false,
    });
    expect(portable['description']).toContain('action = "create" (needs title)');
    for (const keyword of ['oneOf', 'anyOf', 'allOf', 'if', 'not'])
      expect(portable).not.toHaveProperty(keyword);
  });

  it('keeps its branches at the root where asked, and always in the exact schema', () => {
    const compiled = compiler.compileInput(action, { unknownKeys: 'refuse', rootCombinators: true });
    expect(compiled.portable).toMatchObject({ type: 'object', oneOf: [{}, {}] });
    expect(compiled.exact['oneOf']).toHaveLength(2);
    expect([...compiled.required]).toEqual(['action']);
  });

  it('names the field that is wrong, with the values it may take', async () => {
    const compiled = input(action);
    expect(compiled.parse({ action: 'create', title: 'x' })).toEqual({
      ok: true,
      value: { action: 'create', title: 'x' },
    });
    expect(await fieldsOf(compiled.parse({ action: 'create' }))).toEqual(['title']);
    expect(await issuesOf(compiled.parse({ action: 'purge' }))).toMatchObject([
      { path: ['action'], allowed: ['create', 'delete'] },
    ]);
  });

  it('explains a plain union that nothing fits', async () => {
    const compiled = input(z.union([z.object({ id: z.string() }), z.object({ slug: z.string() })]));
    expect(compiled.parse({ id: '1' })).toEqual({ ok: true, value: { id: '1' } });
    const [issue] = await issuesOf(compiled.parse({}));
    expect(issue?.message).toContain('id:');
    expect(issue?.message).toContain('slug:');
    expect([...compiled.required]).toEqual([]);
  });

  it('reports the branch that the value was meant for', async () => {
    const compiled = input(
      z.object({ to: z.union([z.string(), z.object({ name: z.string(), age: z.number() })]) }),
    );
    expect(await fieldsOf(compiled.parse({ to: { name: 'x', age: 'y' } }))).toEqual(['to.age']);
  });
});

describe('dates and bigints', () => {
  it('are advertised as strings, coerced or not', () => {
    const { portable } = input(
      z.object({ at: z.coerce.date(), due: z.date().optional(), n: z.bigint(), note: z.string().optional() }),
    );
    expect(portable).toEqual({
      type: 'object',
      properties: {
        at: { type: 'string', format: 'date-time' },
        due: { type: 'string', format: 'date-time' },
        n: { type: 'string', pattern: '^-?\\d+$' },
        note: { type: 'string' },
      },
      required: ['at', 'n'],
      additionalProperties: false,
    });
  });

  it('parse from coerced text and name the field of a bad one', async () => {
    const compiled = input(z.object({ at: z.coerce.date() }));
    expect(compiled.parse({ at: '2026-01-02T03:04:05.000Z' })).toEqual({
      ok: true,
      value: { at: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)) },
    });
    expect(await fieldsOf(compiled.parse({ at: 'soonish' }))).toEqual(['at']);
  });

  it('are decoded on wire surfaces at every depth, and only there', () => {
    const compiled = input(
      z.object({
        list: z.array(z.object({ at: z.date() })),
        map: z.record(z.string(), z.bigint()),
        pair: z.tuple([z.string(), z.date()]),
        maybe: z.date().nullable(),
        text: z.string(),
      }),
    );
    const at = '2026-01-02T03:04:05Z';
    expect(
      compiled.decodeWire({ list: [{ at }], map: { a: '12' }, pair: [at, at], maybe: at, text: at }),
    ).toEqual({
      list: [{ at: new Date(at) }],
      map: { a: 12n },
      pair: [at, new Date(at)],
      maybe: new Date(at),
      text: at,
    });
  });

  it('stay text when the text has another form, so that the parse names the field', async () => {
    const compiled = input(z.object({ at: z.date(), n: z.bigint() }));
    for (const raw of [
      { at: '2026-02-30T00:00:00Z', n: '1.5' },
      { at: '2026-01-02', n: '' },
      { at: 5, n: 5 },
    ]) {
      expect(compiled.decodeWire(raw)).toBe(raw);
      expect(await fieldsOf(compiled.parse(raw))).toEqual(['at', 'n']);
    }
  });

  it('decode the branch of a union that the value fits first', () => {
    const at = '2026-01-02T03:04:05Z';
    const tagged = input(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('date'), v: z.date() }),
        z.object({ kind: z.literal('text'), v: z.string() }),
      ]),
    );
    expect(tagged.decodeWire({ kind: 'date', v: at })).toEqual({ kind: 'date', v: new Date(at) });
    expect(tagged.decodeWire({ kind: 'text', v: at })).toEqual({ kind: 'text', v: at });
    expect(input(z.object({ v: z.union([z.string(), z.date()]) })).decodeWire({ v: at })).toEqual({ v: at });
    expect(input(z.object({ v: z.union([z.date(), z.string()]) })).decodeWire({ v: at })).toEqual({
      v: new Date(at),
    });
  });

  it('skip a branch whose bounds the text breaks', () => {
    const at = '2026-01-02T03:04:05Z';
    const compiled = input(z.object({ v: z.union([z.string().max(4), z.date()]) }));
    expect(compiled.parse(compiled.decodeWire({ v: at }))).toEqual({ ok: true, value: { v: new Date(at) } });
    expect(compiled.parse(compiled.decodeWire({ v: 'abc' }))).toEqual({ ok: true, value: { v: 'abc' } });
  });

  it('follow a recursive schema', () => {
    const Node = z.object({
      at: z.date(),
      get next() {
        return Node.optional();
      },
    });
    const at = '2026-01-02T03:04:05Z';
    expect(input(Node).decodeWire({ at, next: { at } })).toEqual({
      at: new Date(at),
      next: { at: new Date(at) },
    });
  });

  it('cost nothing where there are none', () => {
    const raw = { a: ['x'] };
    expect(input(z.object({ a: z.array(z.string()) })).decodeWire(raw)).toBe(raw);
  });

  it('keep every digit of a bigint literal', () => {
    const compiled = input(z.object({ n: z.literal(9007199254740993n) }));
    expect(compiled.properties['n']).toMatchObject({ type: 'string', enum: ['9007199254740993'] });
    expect(compiled.parse(compiled.decodeWire({ n: '9007199254740993' }))).toMatchObject({ ok: true });
  });
});

describe('outputs', () => {
  it('run a transform once, advertise it as any JSON and list its place', async () => {
    let runs = 0;
    const compiled = compiler.compileOutput(
      z.object({ id: z.string().transform((text) => (runs++, parseInt(text, 10))) }),
    );
    const parsed = await compiled.parse({ id: '42' });
    expect(parsed).toEqual({ ok: true, value: { id: 42 } });
    expect(runs).toBe(1);
    expect(compiled.opaque).toEqual(['/properties/id']);
    expect((compiled.exact['properties'] as Record<string, unknown>)['id']).toEqual({
      description: expect.any(String),
    });
  });

  it('are not opaque where the author describes the transform', () => {
    const compiled = compiler.compileOutput(
      z.object({ id: z.string().transform(Number).meta({ type: 'integer' }) }),
    );
    expect(compiled.opaque).toEqual([]);
    expect(compiled.portable).toMatchObject({ properties: { id: { type: 'integer' } } });
  });

  it('strip what is not declared', async () => {
    const compiled = compiler.compileOutput(z.object({ id: z.number() }));
    expect(await compiled.parse({ id: 1, passwordHash: 'S3CR3T' })).toEqual({ ok: true, value: { id: 1 } });
    expect(compiled.exact['additionalProperties']).toBe(false);
  });

  it('reach the wire as JSON', () => {
    const compiled = compiler.compileOutput(
      z.object({ at: z.date(), n: z.array(z.bigint()), gone: z.string().optional() }),
    );
    expect(compiled.toWire({ at: new Date(0), n: [1n, -2n], gone: undefined })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      n: ['1', '-2'],
    });
    const undeclared = compiler.compileOutput(z.object({ any: z.unknown() }));
    expect(() => undeclared.toWire({ any: 1n })).toThrow(TypeError);
  });

  it('may be nothing', () => {
    expect(compiler.compileOutput(z.void()).nothing).toBe(true);
    expect(compiler.compileOutput(z.undefined()).nothing).toBe(true);
    expect(compiler.compileOutput(z.null()).nothing).toBe(false);
  });

  it('keep what is not JSON out of the boot error', () => {
    const compiled = compiler.compileOutput(
      z.object({ m: z.map(z.string(), z.number()), c: z.custom<string>() }),
    );
    expect(compiled.opaque).toEqual(['/properties/m', '/properties/c']);
  });
});

describe('inputs that JSON cannot carry', () => {
  const cases: [string, z.ZodType, string][] = [
    ['a map', z.object({ a: z.object({ m: z.map(z.string(), z.string()) }) }), '$.a.m'],
    ['a set in a list', z.object({ l: z.array(z.set(z.string())) }), '$.l[]'],
    ['a custom type', z.object({ c: z.custom<string>() }), '$.c'],
    ['a symbol', z.object({ s: z.symbol() }), '$.s'],
    ['a bare transform', z.object({ t: z.transform((x) => x) }), '$.t'],
    ['a file', z.object({ f: z.file() }), '$.f'],
    ['a value of a record', z.object({ r: z.record(z.string(), z.nan()) }), '$.r.*'],
  ];
  it.each(cases)('refuses %s with its place', (_name, schema, path) => {
    expect(() => input(schema)).toThrow(SchemaConversionError);
    try {
      input(schema);
    } catch (error) {
      expect((error as SchemaConversionError).path).toBe(path);
      expect((error as SchemaConversionError).remedy).not.toBe('');
    }
  });

  it.each([z.string(), z.array(z.string()), z.union([z.object({}), z.string()]), z.object({}).nullable()])(
    'refuses an input that may be something else than an object',
    (schema) => {
      expect(() => input(schema)).toThrow('not an object');
    },
  );

  it('accepts a custom type that its author describes', () => {
    expect(input(z.object({ c: z.custom<string>().meta({ type: 'string' }) })).properties['c']).toEqual({
      type: 'string',
    });
  });

  it('refuses zod 3 schemas and other objects with a remedy', () => {
    expect(() => input(z3.object({}) as never)).toThrow('zod/v4');
    expect(() => input(class Plain {})).toThrow('Class Plain is not a schema');
    expect(() => input(5 as never)).toThrow(SchemaConversionError);
  });
});

describe('descriptions of inputs', () => {
  it('keep a schema with refinements and the message of the refinement', async () => {
    const schema = z.object({ from: z.number(), to: z.number() }).superRefine((value, ctx) => {
      if (value.from > value.to)
        ctx.addIssue({ code: 'custom', path: ['to'], message: 'to must be >= from' });
    });
    const compiled = input(schema);
    expect(compiled.portable).toMatchObject({ properties: { from: {}, to: {} }, required: ['from', 'to'] });
    expect(compiled.parse({ from: 1, to: 2 })).toMatchObject({ ok: true });
    expect(await issuesOf(compiled.parse({ from: 2, to: 1 }))).toEqual([
      { path: ['to'], message: 'to must be >= from' },
    ]);
  });

  it('advertise no default that is made anew each time', () => {
    const compiled = input(
      z.object({
        key: z.string().default(() => String(Math.random())),
        fixed: z.string().default(() => 'x'),
      }),
    );
    expect(compiled.properties['key']).not.toHaveProperty('default');
    expect(compiled.properties['fixed']).toMatchObject({ default: 'x' });
    expect(compiled.required.has('key')).toBe(false);
  });

  it('leave defaults out of required and apply them', () => {
    const compiled = input(z.object({ limit: z.number().int().default(20), q: z.string().optional() }));
    expect([...compiled.required]).toEqual([]);
    expect(compiled.properties['limit']).toMatchObject({ type: 'integer', default: 20 });
    expect(compiled.parse({})).toEqual({ ok: true, value: { limit: 20 } });
  });

  it('never repeat the value that was refused', async () => {
    const compiled = input(
      z.object({ a: z.email(), b: z.number(), c: z.enum(['x', 'y']), d: z.string().max(2) }),
    );
    const issues = await issuesOf(compiled.parse({ a: 'S3CRET', b: 'S3CRET', c: 'S3CRET', d: 'S3CRET' }));
    expect(issues).toHaveLength(4);
    expect(JSON.stringify(issues)).not.toContain('S3CRET');
    expect(issues[2]).toMatchObject({ allowed: ['x', 'y'] });
  });

  it('leave strings alone that look like JSON', async () => {
    const text = input(z.object({ content: z.string() }));
    expect(text.parse({ content: '{"a":1}' })).toEqual({ ok: true, value: { content: '{"a":1}' } });
    expect(await fieldsOf(input(z.object({ tags: z.array(z.string()) })).parse({ tags: '["x"]' }))).toEqual([
      'tags',
    ]);
  });

  it('say in words what a pattern with flags asks for', () => {
    const { properties } = input(
      z.object({ a: z.string().regex(/^x$/i), b: z.string().regex(/^[\w-.]+$/), c: z.string().regex(/^y$/) }),
    );
    expect(properties).toEqual({
      a: { type: 'string', description: 'Matches /^x$/i.' },
      b: { type: 'string', description: 'Matches /^[\\w-.]+$/.' },
      c: { type: 'string', pattern: '^y$' },
    });
  });

  it('hold no keyword that is not JSON Schema, except extensions', () => {
    const { portable } = input(
      z.object({
        a: z.string().meta({ internal: 'note', 'x-mcp-header': 'A' }),
        b: z.iso.time(),
        c: z.cidrv4(),
      }),
    );
    expect(portable).not.toHaveProperty('$schema');
    expect((portable['properties'] as Record<string, unknown>)['a']).toEqual({
      type: 'string',
      'x-mcp-header': 'A',
    });
    expect((portable['properties'] as Record<string, unknown>)['c']).not.toHaveProperty('format');
  });

  it('bound tuples and carry free-form JSON', () => {
    const { properties, parse } = input(
      z.object({ t: z.tuple([z.string(), z.number().optional()]), j: z.json() }),
    );
    expect(properties['t']).toMatchObject({ type: 'array', minItems: 1, maxItems: 2 });
    expect(parse({ t: ['x'], j: { a: [1, null, { b: true }] } })).toMatchObject({ ok: true });
  });

  it('treat no input as the strict empty object', async () => {
    const compiled = input(undefined);
    expect(compiled.portable).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect(compiled.unknownKey({ a: 1 })).toEqual(['a']);
    expect(compiled.parse({})).toEqual({ ok: true, value: {} });
    expect(await fieldsOf(compiled.parse({ a: 1 }))).toEqual(['a']);
    for (const value of [null, [], 'x', undefined])
      expect(await issuesOf(compiled.parse(value))).toHaveLength(1);
  });
});

describe('named and recursive parts', () => {
  const Inner = z.object({ n: z.string() }).meta({ id: 'Inner' });

  it('are inlined in the portable form and referred to in the exact one', () => {
    const compiled = input(z.object({ a: Inner, b: Inner }));
    expect(JSON.stringify(compiled.portable)).not.toMatch(/\$ref|\$defs|"id"/);
    expect(compiled.exact).toMatchObject({
      properties: { a: { $ref: '#/$defs/Inner' }, b: { $ref: '#/$defs/Inner' } },
    });
    expect(Object.keys(compiled.named)).toEqual(['Inner']);
    expect(compiled.named['Inner']).toEqual({
      type: 'object',
      properties: { n: { type: 'string' } },
      required: ['n'],
      additionalProperties: false,
    });
  });

  it('compile the same a second time', () => {
    const schema = z.object({ a: Inner, b: z.array(Inner) });
    expect(JSON.stringify(input(schema).exact)).toBe(JSON.stringify(input(schema).exact));
  });

  it('keep a property that is called id', () => {
    expect(input(z.object({ id: z.string() })).properties).toHaveProperty('id');
  });

  it('name a root part by its id or its DTO class', () => {
    expect(input(z.object({ a: z.string() }).meta({ id: 'Root' })).exact['$ref']).toBe('#/$defs/Root');
    class FindDto extends createZodDto(z.object({ a: z.string() })) {}
    const dto = input(FindDto);
    expect(dto.kind).toBe('zod');
    expect(Object.keys(dto.named)).toEqual(['FindDto']);
    expect(dto.portable).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } });
    expect(dto.parse({ a: 'x' })).toEqual({ ok: true, value: { a: 'x' } });
  });

  it('give an unnamed recursive part one name everywhere and keep its references inside', () => {
    const tree = () => {
      const Tree = z.object({
        v: z.string(),
        get kids() {
          return z.array(Tree);
        },
      });
      return Tree;
    };
    const first = input(z.object({ x: tree() }));
    const second = input(z.object({ other: z.number(), y: z.array(tree()) }));
    const [name] = Object.keys(first.named);
    expect(Object.keys(second.named)).toEqual([name]);
    expect(first.portable).toHaveProperty(['$defs', name as string]);
    expect(input(tree()).portable).toMatchObject({
      type: 'object',
      properties: { kids: { items: { $ref: `#/$defs/${name}` } } },
    });
  });

  it('refuse two parts with one name', () => {
    const Other = z.object({ m: z.number() }).meta({ id: 'Twice' });
    const Same = z.object({ n: z.string() }).meta({ id: 'Twice' });
    expect(() => input(z.object({ a: Other, b: Same }))).toThrow(SchemaConversionError);
  });

  it('refuse what explodes when inlined', () => {
    let part: z.ZodType = z.object({ v: z.string() }).meta({ id: 'Part0' });
    for (let level = 1; level < 16; level++)
      part = z.object({ a: part, b: part, c: part }).meta({ id: `Part${level}` });
    expect(() => input(z.object({ part }))).toThrow('too large');
  });
});

describe('unknown keys', () => {
  it('are known below a branch that takes anything, in lists too', () => {
    const compiled = input(z.object({ b: z.union([z.array(z.object({})), z.unknown()]) }));
    expect(compiled.unknownKey({ b: [{ extra: 0 }] })).toBeUndefined();
    expect(compiled.unknownKey({ b: [], extra: 0 })).toEqual(['extra']);
  });

  it('are found at every depth, before any parse', () => {
    const compiled = input(
      z.object({
        patchOptions: z.object({ create: z.boolean() }).optional(),
        l: z.array(z.object({ a: z.string() })).optional(),
      }),
    );
    expect(compiled.unknownKey({ options: { create: true } })).toEqual(['options']);
    expect(compiled.unknownKey({ patchOptions: { create: true, craete: 1 } })).toEqual([
      'patchOptions',
      'craete',
    ]);
    expect(compiled.unknownKey({ l: [{ a: '' }, { a: '', b: 1 }] })).toEqual(['l', 1, 'b']);
    expect(compiled.unknownKey({ patchOptions: { create: 5 }, l: [] })).toBeUndefined();
    expect(compiled.unknownKey(JSON.parse('{"__proto__":1}'))).toEqual(['__proto__']);
    expect(compiled.unknownKey({ constructor: 1 })).toEqual(['constructor']);
  });

  it('are ignored where asked, except in strict objects, and then not advertised as forbidden', async () => {
    const compiled = input(z.object({ a: z.string() }), 'ignore');
    expect(compiled.unknownKey({ b: 1 })).toBeUndefined();
    expect(compiled.portable).not.toHaveProperty('additionalProperties');
    expect(compiled.parse({ a: 'x', b: 1 })).toEqual({ ok: true, value: { a: 'x' } });
    const strict = input(z.strictObject({ a: z.string() }), 'ignore');
    expect(strict.portable['additionalProperties']).toBe(false);
    expect(await fieldsOf(strict.parse({ a: 'x', b: 1 }))).toEqual(['b']);
  });

  it('reach the method through a loose object, a catchall or a record', () => {
    const loose = input(z.looseObject({ a: z.string() }));
    expect(loose.unknownKey({ a: '', b: { c: 1 } })).toBeUndefined();
    expect(loose.parse({ a: '', b: 1 })).toEqual({ ok: true, value: { a: '', b: 1 } });
    expect(loose.portable['additionalProperties']).toEqual({});
    const nested = input(z.object({ r: z.record(z.string(), z.object({ a: z.string() })), u: z.unknown() }));
    expect(nested.unknownKey({ r: { any: { a: '' } }, u: { deep: { x: 1 } } })).toBeUndefined();
    expect(nested.unknownKey({ r: { any: { b: '' } } })).toEqual(['r', 'any', 'b']);
    expect(input(z.object({}).catchall(z.number())).unknownKey({ x: 1 })).toBeUndefined();
  });

  it('are known in a union if any branch knows them', () => {
    const compiled = input(action);
    expect(compiled.unknownKey({ action: 'create', id: '1' })).toBeUndefined();
    expect(compiled.unknownKey({ action: 'create', x: '1' })).toEqual(['x']);
    const nested = input(
      z.object({
        o: z.union([
          z.object({ a: z.object({ x: z.string() }) }),
          z.object({ a: z.object({ y: z.string() }) }),
        ]),
      }),
    );
    expect(nested.unknownKey({ o: { a: { x: '', y: '' } } })).toBeUndefined();
    expect(nested.unknownKey({ o: { a: { z: '' } } })).toEqual(['o', 'a', 'z']);
  });

  it('are known in an intersection if any member knows them, whose members are merged', () => {
    const compiled = input(z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })));
    expect(compiled.unknownKey({ a: '', b: 1 })).toBeUndefined();
    expect(compiled.unknownKey({ a: '', b: 1, c: 1 })).toEqual(['c']);
    expect(compiled.exact).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    });
    const union = input(z.intersection(z.object({ a: z.string() }), action));
    expect(union.exact['anyOf']).toHaveLength(2);
    expect(union.parse({ a: '', action: 'delete', id: '1' })).toMatchObject({ ok: true });
  });

  it('are found in recursive schemas and cyclic values alike', () => {
    const Node = z.object({
      v: z.string(),
      get next() {
        return Node.optional();
      },
    });
    const compiled = input(Node);
    expect(compiled.unknownKey({ v: '', next: { v: '', next: { v: '', x: 1 } } })).toEqual([
      'next',
      'next',
      'x',
    ]);
    const cyclic: Record<string, unknown> = { v: '' };
    cyclic['next'] = cyclic;
    expect(compiled.unknownKey(cyclic)).toBeDefined();
  });
});

describe('parsing', () => {
  it('is synchronous unless the schema is not', async () => {
    expect(input(z.object({ a: z.string().trim() })).parse({ a: ' x ' })).toEqual({
      ok: true,
      value: { a: 'x' },
    });
    let runs = 0;
    const asynchronous = input(
      z
        .object({ a: z.string().transform((text) => (runs++, text)) })
        .refine(async () => Promise.resolve(false), 'no'),
    );
    expect(await asynchronous.parse({ a: 'x' })).toEqual({
      ok: false,
      issues: [{ path: [], message: 'no' }],
    });
    expect(runs).toBe(1);
  });

  it('discovers a promise that no declaration shows', async () => {
    const compiled = input(
      z
        .object({ a: z.string() })
        .superRefine((_value, ctx) => Promise.resolve().then(() => ctx.addIssue('late'))),
    );
    expect(await issuesOf(compiled.parse({ a: 'x' }))).toEqual([{ path: [], message: 'late' }]);
    expect(await issuesOf(compiled.parse({ a: 'x' }))).toEqual([{ path: [], message: 'late' }]);
  });

  it('says which fields it may change', () => {
    const compiled = input(
      z.object({
        plain: z.string().min(1),
        number: z.number().optional(),
        trimmed: z.string().trim(),
        coerced: z.coerce.number(),
        defaulted: z.string().default('x'),
        mapped: z.string().transform(Number),
        date: z.date(),
        nested: z.object({ a: z.string().toLowerCase() }),
      }),
    );
    const changing = Object.keys(compiled.properties).filter((field) => compiled.transforms(field));
    expect(changing).toEqual(['trimmed', 'coerced', 'defaulted', 'mapped', 'date', 'nested']);
    expect(input(z.object({ a: z.string() }).transform((value) => value)).transforms('a')).toBe(true);
  });
});

describe('another Standard Schema', () => {
  const schema = toStandardJsonSchema(
    v.object({
      a: v.pipe(v.string(), v.minLength(2)),
      n: v.optional(v.number(), 5),
      o: v.optional(v.object({ x: v.string() })),
    }),
  );

  it('is converted, closed and parsed', async () => {
    const compiled = input(schema);
    expect(compiled.kind).toBe('standard');
    expect(compiled.portable).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string', minLength: 2 } },
      additionalProperties: false,
    });
    expect([...compiled.required]).toEqual(['a']);
    expect(compiled.parse({ a: 'xx' })).toEqual({ ok: true, value: { a: 'xx', n: 5 } });
    expect(compiled.unknownKey({ a: 'xx', o: { y: 1 } })).toEqual(['o', 'y']);
    expect(await fieldsOf(compiled.parse({ a: 1 }))).toEqual(['a']);
    expect([compiled.transforms('a'), compiled.transforms('n')]).toEqual([false, true]);
  });

  it('does not repeat the refused value', async () => {
    const issues = await issuesOf(input(schema).parse({ a: 'xx', n: 'S3CRET', o: 'S3' }));
    expect(issues).toHaveLength(2);
    expect(JSON.stringify(issues)).not.toContain('S3');
  });

  it('needs a converter, and one that can convert it', () => {
    expect(() => input(v.object({ a: v.string() }) as never)).toThrow('no JSON Schema converter');
    expect(() => input(toStandardJsonSchema(v.object({ a: v.date() })))).toThrow(SchemaConversionError);
  });

  it('strips unknown keys of an output', async () => {
    const compiled = compiler.compileOutput(toStandardJsonSchema(v.object({ id: v.number() })));
    expect(await compiled.parse({ id: 1, secret: 'x' })).toEqual({ ok: true, value: { id: 1 } });
  });

  it('never makes the library fetch a reference', () => {
    const remote = (ref: string) => ({
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: () => ({ type: 'object', properties: { a: { $ref: ref } } }),
          output: () => ({}),
        },
      },
    });
    for (const ref of ['https://example.com/schema.json', 'other.json', '#/$defs/missing', '#anchor']) {
      expect(() => input(remote(ref))).toThrow('not inside it');
    }
    expect(input(remote('#')).portable).toMatchObject({
      properties: { a: { $ref: expect.stringMatching(/^#\/\$defs\//) } },
    });
  });
});
