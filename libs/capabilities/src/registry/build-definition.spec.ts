import { z } from 'zod';
import type { CapabilityOptions } from '../contract/capability-options.js';
import { CapabilityFailure } from '../contract/capability-failure.js';
import { contractOptions } from '../contract/contract-options.js';
import { defineContract } from '../contract/define-contract.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { buildDefinition } from './build-definition.js';
import { type CapabilityDeclaration, mergeDeclaration } from './capability-declaration.js';
import type { CapabilityDefinition, CapabilityHandler, HandlerCall } from './capability-definition.js';

const source = { className: 'OrdersService', methodName: 'find', moduleName: undefined };
const handler: CapabilityHandler = { guard: undefined, invoke: (input) => input };
const compiler = new SchemaCompiler();

const base: CapabilityOptions = {
  name: 'orders.find',
  description: 'Find orders.',
  sideEffect: 'read',
  expose: ['rest'],
  risk: 'low',
  permission: 'orders:read',
};
const input = z.object({
  id: z.string(),
  page: z.number(),
  lenient: z.coerce.number(),
  nested: z.object({ a: z.string() }).optional(),
  ids: z.array(z.string()).optional(),
});

const declare = (
  options: Partial<CapabilityOptions>,
  rest: Partial<CapabilityDeclaration> = {},
): CapabilityDeclaration => ({
  options: { ...base, ...options },
  source,
  paramTypes: [],
  paramCount: 0,
  ...rest,
});

const problemsOf = (options: Partial<CapabilityOptions>, rest?: Partial<CapabilityDeclaration>) => {
  const built = buildDefinition(declare(options, rest), { compiler, handler });
  expect(built.definition).toBeUndefined();
  return built.problems;
};

const built = (options: Partial<CapabilityOptions> = {}, by = handler): CapabilityDefinition => {
  const { definition, problems } = buildDefinition(declare(options), { compiler, handler: by });
  expect(problems).toEqual([]);
  return definition!;
};

describe('buildDefinition', () => {
  it('applies every default and freezes the definition', () => {
    const definition = built();
    expect(definition).toMatchObject({
      name: 'orders.find',
      title: 'Orders find',
      sideEffect: 'read',
      annotations: { readOnly: true, destructive: false },
      timeoutMs: 30_000,
      unknownKeys: 'refuse',
      discovery: 'discoverable',
      deprecated: false,
      idempotent: false,
      retry: undefined,
      tags: [],
      constraints: [],
      policies: [],
      approval: {
        required: undefined,
        by: undefined,
        strength: 'none',
        decideWithin: 900_000,
        executeWithin: 300_000,
        quorum: 1,
      },
      source,
    });
    expect(definition.output).toBeUndefined();
    expect(Object.isFrozen(definition)).toBe(true);
    expect(Object.isFrozen(definition.expose) && Object.isFrozen(definition.approval)).toBe(true);
  });

  it('takes what is declared', () => {
    const definition = built({
      title: 'Search',
      sideEffect: undefined,
      annotations: { readOnly: false, destructive: true },
      idempotent: true,
      retry: { maxAttempts: 2 },
      failures: { Closed: { schema: z.object({ id: z.string() }), fix: 'Reopen it.' } },
    });
    expect(definition).toMatchObject({
      title: 'Search',
      sideEffect: 'destructive',
      retry: { maxAttempts: 2, backoffMs: 250 },
    });
    expect(definition.annotations).toEqual({ readOnly: false, destructive: true });
    expect(definition.failures.get('Closed')).toMatchObject({
      tag: 'Closed',
      fix: 'Reopen it.',
      status: 422,
      code: 'CONFLICT',
      retryable: false,
    });
    expect(built({ retry: { maxAttempts: 0 } }).retry).toBeUndefined();
  });

  it('gives a method without parameters the strict empty object as input', async () => {
    const { input: empty } = built();
    expect(empty.exact).toMatchObject({ type: 'object', additionalProperties: false });
    expect(empty.unknownKey({ surprise: 1 })).toEqual(['surprise']);
    expect(await empty.parse({})).toEqual({ ok: true, value: {} });
  });

  it.each([
    ['is erased', [Object], /interface.*import type.*circular import/],
    ['was not defined yet', [undefined], /circular import/],
    ['is a primitive', [String], /first parameter is a String/],
    ['is an array', [Array], /first parameter is a Array/],
    ['was not emitted', undefined, /no parameter types/],
  ])('names the cause when the parameter type %s', (_title, paramTypes, text) => {
    const problems = problemsOf({}, { paramTypes, paramCount: 1 });
    expect(problems).toMatchObject([
      { code: 'INPUT_ERASED', capability: 'orders.find', className: 'OrdersService', methodName: 'find' },
    ]);
    expect(problems[0]?.problem).toMatch(text);
  });

  it.each([
    ['an input that is no object', { inputSchema: z.string() }],
    ['an input that JSON cannot carry', { inputSchema: z.object({ at: z.map(z.string(), z.string()) }) }],
    [
      'a class without any schema',
      {
        inputSchema: class Empty {
          private readonly nothing = 1;
          read(): number {
            return this.nothing;
          }
        },
      },
    ],
  ])('refuses %s', (_title, options) => {
    expect(problemsOf(options)).toMatchObject([{ code: 'SCHEMA_UNCONVERTIBLE', capability: 'orders.find' }]);
  });

  it.each([
    ['PATH_PARAMETER_UNKNOWN', { http: { path: '/orders/:orderId' } }, '"orderId"'],
    ['ROUTE_INVALID', { http: { path: '/orders/:ids' } }, ':ids'],
    ['QUERY_PARAMETER_INVALID', { http: { method: 'GET', path: '/orders/:id' } }, '"nested"'],
    ['FIELD_UNKNOWN', { constraints: ['identifier'] }, '"identifier"'],
    ['CONSTRAINT_TRANSFORMS', { constraints: ['lenient'] }, '"lenient"'],
    ['FIELD_UNKNOWN', { limits: { budget: { field: 'total', max: 1, windowMs: 1 } } }, '"total"'],
    ['FIELD_UNKNOWN', { limits: { budget: { field: 'id', max: 1, windowMs: 1 } } }, 'not numeric'],
    ['FIELD_UNKNOWN', { cli: { positional: ['order'] } }, '"order"'],
  ] as const)('reports %s for %j', (code, options, names) => {
    const problems = problemsOf({ inputSchema: input, ...options });
    expect(problems).toMatchObject([{ code }]);
    expect(problems[0]?.problem).toContain(names);
  });

  it('accepts fields that can serve', () => {
    const definition = built({
      inputSchema: input.omit({ nested: true }),
      http: { method: 'GET', path: '/orders/:id' },
      constraints: ['id', 'page'],
      limits: { budget: { field: 'page', max: 10, windowMs: 1_000 } },
      cli: { positional: ['id'] },
    });
    expect(definition.constraints).toEqual(['id', 'page']);
  });

  it('lists problems of options, schemas and fields together', () => {
    const problems = problemsOf({
      description: undefined,
      expose: ['soap' as 'rest'],
      timeoutMs: -1,
      inputSchema: input,
      outputSchema: {} as never,
      constraints: ['lenient'],
      http: { path: '/orders/:nobody' },
    });
    expect(problems.map(({ code }) => code).sort()).toEqual([
      'CONSTRAINT_TRANSFORMS',
      'DURATION_INVALID',
      'OPTION_INVALID',
      'OPTION_MISSING',
      'PATH_PARAMETER_UNKNOWN',
      'SURFACE_UNKNOWN',
    ]);
    for (const problem of problems)
      expect(problem).toMatchObject({
        capability: 'orders.find',
        className: 'OrdersService',
        methodName: 'find',
      });
  });

  it.each([
    undefined,
    null,
    'options',
    {
      name: 7,
      http: 'x',
      policies: 1,
      constraints: 'id',
      approval: 3,
      failures: [],
      limits: 2,
      cli: { positional: 1 },
      retry: null,
    },
  ])('never throws for %j', (options) => {
    const result = buildDefinition({ ...declare({}), options: options as never }, { compiler, handler });
    expect(result.definition).toBeUndefined();
    expect(result.problems[0]).toMatchObject({ capability: 'OrdersService.find' });
  });

  it('hands the declared failures of a contract on, thrown or rejected, and nothing else', async () => {
    const contract = defineContract({
      name: 'orders.find',
      description: 'Find orders.',
      access: 'read',
      inputSchema: z.object({}),
      outputSchema: z.object({}),
      failures: { Closed: { schema: z.object({ id: z.string() }), fix: 'Reopen it.' } },
    });
    const throwing = (thrown: unknown, late: boolean): Promise<unknown> => {
      const definition = built(contractOptions(contract), {
        guard: undefined,
        invoke: () => {
          if (late) return Promise.reject(thrown);
          throw thrown;
        },
      });
      return Promise.resolve()
        .then(() => definition.handler.invoke({}, {} as never, {} as HandlerCall))
        .catch((error: unknown) => error);
    };
    for (const late of [false, true]) {
      const failure = await throwing({ _tag: 'Closed', id: '7', message: 'It is closed.' }, late);
      expect(failure).toBeInstanceOf(CapabilityFailure);
      expect(failure).toMatchObject({ tag: 'Closed', message: 'It is closed.', fields: { id: '7' } });
      const other = { _tag: 'Other' };
      expect(await throwing(other, late)).toBe(other);
    }
  });
});

describe('the fingerprint', () => {
  const fingerprint = (options: Partial<CapabilityOptions> = {}) =>
    built({ inputSchema: z.object({ id: z.string() }), ...options }).fingerprint;

  it('is the same for the same contract, whatever its prose and its code', () => {
    expect(fingerprint()).toMatch(/^[0-9a-f]{64}$/);
    expect(fingerprint({ description: 'Other words.', tags: ['x'], timeoutMs: 1 })).toBe(fingerprint());
    const computed = () =>
      fingerprint({ inputSchema: z.object({ ref: z.string().default(() => crypto.randomUUID()) }) });
    expect(computed()).toBe(computed());
  });

  it.each<Partial<CapabilityOptions>>([
    { inputSchema: z.object({ id: z.string().min(1) }) },
    { outputSchema: z.object({ id: z.string() }) },
    { sideEffect: 'none' },
    { risk: 'high' },
    { permission: null },
    { approval: { quorum: 2 } },
    { constraints: ['id'] },
    { unknownKeys: 'ignore' },
    { reversible: true },
    { version: '2' },
    { failures: { Closed: { schema: z.object({}), fix: 'x' } } },
  ])('changes with the contract: case %#', (options) => {
    expect(fingerprint(options)).not.toBe(fingerprint());
  });
});

describe('mergeDeclaration', () => {
  const own = { description: 'Find.', sideEffect: 'read' } as const;

  it('inherits method, then host, then defaults', () => {
    const host = { namespace: 'orders', expose: ['rest'], permission: 'orders:read' } as const;
    const defaults = { expose: ['mcp'], permission: null, risk: 'high', tags: ['all'] } as const;
    expect(mergeDeclaration(own, host, defaults, 'find')).toEqual({
      ...own,
      name: 'orders.find',
      expose: ['rest'],
      permission: 'orders:read',
      risk: 'high',
      tags: ['all'],
    });
    expect(
      mergeDeclaration({ ...own, name: 'x', permission: null, expose: [] }, host, defaults, 'find'),
    ).toMatchObject({
      name: 'x',
      permission: null,
      expose: [],
    });
  });

  it('keeps an inherited gate when the method sets another approval field', () => {
    const merged = mergeDeclaration(
      { ...own, approval: { quorum: 2 } },
      { approval: { required: true, quorum: 1 } },
      { approval: { type: 't' } },
      'find',
    );
    expect(merged.approval).toEqual({ required: true, quorum: 2, type: 't' });
  });

  it('leaves unset what is set nowhere', () => {
    expect(Object.keys(mergeDeclaration(own, undefined, undefined, 'find')).sort()).toEqual([
      'description',
      'sideEffect',
    ]);
  });
});
