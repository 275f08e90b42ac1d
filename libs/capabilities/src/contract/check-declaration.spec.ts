import { z } from 'zod';
import { allow } from './policy-rule.js';
import { checkDeclaration, checkDefaults, checkHost, checkPolicies } from './check-declaration.js';
import type { DeclarationProblemCode } from './declaration-problem.js';

const place = { capability: 'orders.cancel', className: 'OrdersService', methodName: 'cancel' };
const policy = { name: 'hours', phase: 'access', evaluate: allow } as const;
const input = z.object({ id: z.string() });

/** A well-formed write. Every fixture below breaks one thing of it. */
const wellFormed = {
  name: 'orders.cancel',
  description: 'Cancel an order.',
  sideEffect: 'write',
  expose: ['rest', 'mcp'],
  risk: 'medium',
  permission: 'orders:write',
  inputSchema: input,
};

type Fixture = readonly [
  title: string,
  change: Record<string, unknown>,
  code: DeclarationProblemCode,
  names: string,
];

const FIXTURES: readonly Fixture[] = [
  ['no description', { description: undefined }, 'OPTION_MISSING', 'description'],
  ['a blank description', { description: ' ' }, 'OPTION_INVALID', 'description'],
  ['no exposure anywhere', { expose: undefined }, 'OPTION_MISSING', '`expose` is set nowhere'],
  ['no risk anywhere', { risk: undefined }, 'OPTION_MISSING', '`risk` is set nowhere'],
  ['no permission anywhere', { permission: undefined }, 'OPTION_MISSING', '`permission` is set nowhere'],
  ['no name', { name: undefined }, 'OPTION_MISSING', 'name'],
  ['an ill-typed option', { timeoutMs: '5s' }, 'DURATION_INVALID', 'timeoutMs'],
  ['an ill-typed nested option', { redact: { output: 'all' } }, 'OPTION_INVALID', 'redact.output'],
  ['an ill-typed list item', { tags: ['a', 1] }, 'OPTION_INVALID', 'tags[1]'],
  ['a misspelt option', { descripton: 'x' }, 'OPTION_UNKNOWN', '`descripton` is not an option'],
  ['a misspelt nested option', { approval: { quorom: 2 } }, 'OPTION_UNKNOWN', 'approval.quorom'],
  ['a bad name', { name: 'orders cancel' }, 'NAME_INVALID', 'orders cancel'],
  ['an empty segment', { name: 'orders..cancel' }, 'NAME_INVALID', 'orders..cancel'],
  ['a name of 65 characters', { name: 'a'.repeat(65) }, 'NAME_INVALID', '65'],
  ['a reserved name', { name: 'orders.__proto__' }, 'NAME_INVALID', 'reserved'],
  ['an unknown surface', { expose: ['rest', 'mpc'] }, 'SURFACE_UNKNOWN', '"mpc"'],
  ['an exposure that is no list', { expose: { rest: true } }, 'OPTION_INVALID', 'expose'],
  ['an unknown risk', { risk: 'huge' }, 'OPTION_INVALID', '"huge"'],
  ['an empty permission', { permission: '' }, 'OPTION_INVALID', 'permission'],
  ['no side effect', { sideEffect: undefined }, 'SIDE_EFFECT_UNCLEAR', 'neither'],
  [
    'side effect and annotations',
    { annotations: { readOnly: false, destructive: false } },
    'SIDE_EFFECT_UNCLEAR',
    'both set',
  ],
  [
    'read-only and destructive',
    { sideEffect: undefined, annotations: { readOnly: true, destructive: true } },
    'SIDE_EFFECT_UNCLEAR',
    'read-only and destructive',
  ],
  [
    'half of the annotations',
    { sideEffect: undefined, annotations: { readOnly: true } },
    'OPTION_MISSING',
    'annotations.destructive',
  ],
  ['a retry on a write', { retry: { maxAttempts: 2 } }, 'RETRY_UNSAFE', 'retry'],
  ['a retry without attempts', { idempotent: true, retry: {} }, 'OPTION_MISSING', 'retry.maxAttempts'],
  [
    'negative attempts',
    { idempotent: true, retry: { maxAttempts: -1 } },
    'LIMIT_INVALID',
    'retry.maxAttempts',
  ],
  ['GET on a write', { http: { method: 'GET' } }, 'GET_ON_WRITE', 'GET'],
  ['an unknown HTTP method', { http: { method: 'FETCH' } }, 'ROUTE_INVALID', '"FETCH"'],
  ['a relative path', { http: { path: 'orders/:id' } }, 'ROUTE_INVALID', 'start with'],
  ['a wildcard path', { http: { path: '/orders/*' } }, 'ROUTE_INVALID', '"*"'],
  ['a repeated path parameter', { http: { path: '/orders/:id/:id' } }, 'ROUTE_INVALID', 'repeats'],
  ['a zero deadline', { timeoutMs: 0 }, 'DURATION_INVALID', 'timeoutMs'],
  ['a NaN deadline', { timeoutMs: Number.NaN }, 'DURATION_INVALID', 'NaN'],
  ['an infinite deadline', { timeoutMs: Infinity }, 'DURATION_INVALID', 'Infinity'],
  [
    'a negative pause',
    { idempotent: true, retry: { maxAttempts: 1, backoffMs: -1 } },
    'DURATION_INVALID',
    'retry.backoffMs',
  ],
  ['a zero decision window', { approval: { decideWithin: 0 } }, 'DURATION_INVALID', 'approval.decideWithin'],
  [
    'a NaN execution window',
    { approval: { executeWithin: Number.NaN } },
    'DURATION_INVALID',
    'approval.executeWithin',
  ],
  [
    'a zero rate window',
    { limits: { rate: { max: 1, windowMs: 0 } } },
    'DURATION_INVALID',
    'limits.rate.windowMs',
  ],
  ['a zero rate', { limits: { rate: { max: 0, windowMs: 1 } } }, 'LIMIT_INVALID', 'limits.rate.max'],
  ['half a concurrency', { limits: { concurrency: 1.5 } }, 'LIMIT_INVALID', 'limits.concurrency'],
  [
    'a budget without a field',
    { limits: { budget: { max: 1, windowMs: 1 } } },
    'OPTION_MISSING',
    'limits.budget.field',
  ],
  ['a quorum of nobody', { approval: { quorum: 0 } }, 'LIMIT_INVALID', 'approval.quorum'],
  [
    'fewer approvers than the quorum',
    { approval: { quorum: 2, approvers: ['a', 'a'] } },
    'APPROVERS_TOO_FEW',
    'the quorum is 2',
  ],
  ['an empty list of approvers', { approval: { approvers: [] } }, 'APPROVERS_TOO_FEW', 'empty list'],
  ['host approval without describe', { approval: { by: 'host' } }, 'APPROVAL_UNDESCRIBED', 'describe'],
  ['an unknown decider', { approval: { by: 'anyone' } }, 'OPTION_INVALID', '"anyone"'],
  ['an unknown policy phase', { policies: [{ ...policy, phase: 'later' }] }, 'POLICY_INVALID', '"later"'],
  ['an empty policy phase', { policies: [{ ...policy, phase: '' }] }, 'POLICY_INVALID', '""'],
  ['a nameless policy', { policies: [{ ...policy, name: '' }] }, 'POLICY_INVALID', 'policies[0]'],
  [
    'a policy without evaluate',
    { policies: [{ ...policy, evaluate: undefined }] },
    'POLICY_INVALID',
    'evaluate',
  ],
  ['a policy that is none', { policies: ['hours'] }, 'POLICY_INVALID', 'policies[0]'],
  ['two policies of one name', { policies: [policy, { ...policy }] }, 'POLICY_DUPLICATE', '"hours"'],
  [
    'hiding in the invocation phase',
    { policies: [{ ...policy, phase: 'invocation', hides: true }] },
    'POLICY_INVALID',
    'hides',
  ],
  ['args without a schema', { inputSchema: undefined, args: () => [] }, 'ARGS_WITHOUT_SCHEMA', 'args'],
  ['a schema that is none', { outputSchema: { type: 'object' } }, 'OPTION_INVALID', 'outputSchema'],
  ['a built-in class as schema', { inputSchema: Object }, 'OPTION_INVALID', 'inputSchema'],
  [
    'a failure without a next step',
    { failures: { Closed: { schema: input } } },
    'OPTION_MISSING',
    'failures.Closed.fix',
  ],
  [
    'a failure that answers success',
    { failures: { Closed: { schema: input, fix: 'x', status: 200 } } },
    'OPTION_INVALID',
    'failures.Closed.status',
  ],
  [
    'a failure of an unknown code',
    { failures: { Closed: { schema: input, fix: 'x', code: 'OOPS' } } },
    'OPTION_INVALID',
    'failures.Closed.code',
  ],
];

describe('checkDeclaration', () => {
  it('finds nothing wrong with a well-formed declaration, however full', () => {
    const full = {
      ...wellFormed,
      title: 'Cancel',
      permission: null,
      expose: [],
      outputSchema: input,
      failures: {
        Closed: { schema: input, fix: 'Reopen it.', status: 409, code: 'CONFLICT', retryable: true },
      },
      approval: {
        required: true,
        by: 'host',
        strength: 'webauthn',
        decideWithin: 1,
        executeWithin: 1,
        quorum: 2,
        approvers: ['a', 'b'],
        permission: 'p',
        type: 't',
      },
      describe: () => undefined,
      reversible: true,
      constraints: ['id'],
      policies: [policy, { ...policy, name: 'quota', phase: 'invocation', hides: false }],
      idempotent: true,
      retry: { maxAttempts: 0, backoffMs: 1, retryOn: () => true },
      timeoutMs: 1,
      limits: {
        rate: { max: 1, windowMs: 1 },
        concurrency: 1,
        budget: { field: 'id', max: 0.5, windowMs: 1 },
      },
      redact: { output: () => 1, approvalInput: () => 1 },
      cites: () => [],
      unknownKeys: 'ignore',
      args: () => [],
      discovery: 'contextual',
      deprecated: 'Use orders.close.',
      version: '2',
      tags: ['orders'],
      http: { method: 'DELETE', path: '/orders/:id', document: false, example: { id: '1' }, version: '1' },
      mcp: {
        rootCombinators: true,
        icons: [{ src: 'https://example.test/i.png', mimeType: 'image/png', sizes: ['48x48'] }],
      },
      assistant: { anything: 1 },
      cli: { positional: ['id'] },
    };
    expect(checkDeclaration(wellFormed, place)).toEqual([]);
    expect(checkDeclaration(full, place)).toEqual([]);
  });

  it.each(FIXTURES)('reports %s', (_title, change, code, names) => {
    const problems = checkDeclaration({ ...wellFormed, ...change }, place);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ ...place, code });
    expect(problems[0]?.problem).toContain(names);
    expect(problems[0]?.remedy).not.toBe('');
  });

  it.each([undefined, null, 'read', [], 7])('reports options that are %p', (options) => {
    expect(checkDeclaration(options, place)).toMatchObject([{ code: 'OPTION_INVALID', ...place }]);
  });

  it('suggests the option or surface that was meant', () => {
    const problems = checkDeclaration({ ...wellFormed, outputShema: input, expose: ['cil'] }, place);
    const remedies = problems.map(({ remedy }) => remedy).join('\n');
    expect(remedies).toContain('Did you mean `outputSchema`?');
    expect(remedies).toContain("Did you mean 'cli'?");
  });

  it('lists every problem of one declaration at once', () => {
    const problems = checkDeclaration(
      {
        name: 'a b',
        expose: ['soap'],
        retry: { maxAttempts: 1, backoffMs: 0 },
        sideEffect: 'write',
        http: { method: 'GET' },
        timeoutMs: Number.NaN,
        extra: 1,
      },
      place,
    );
    expect(new Set(problems.map(({ code }) => code))).toEqual(
      new Set([
        'OPTION_MISSING',
        'NAME_INVALID',
        'SURFACE_UNKNOWN',
        'RETRY_UNSAFE',
        'DURATION_INVALID',
        'GET_ON_WRITE',
        'OPTION_UNKNOWN',
      ]),
    );
  });

  it('allows a retry on a read and on an idempotent write', () => {
    const retry = { maxAttempts: 2 };
    expect(checkDeclaration({ ...wellFormed, sideEffect: 'read', retry }, place)).toEqual([]);
    expect(checkDeclaration({ ...wellFormed, idempotent: true, retry }, place)).toEqual([]);
  });
});

describe('checkHost and checkDefaults', () => {
  it('report unknown keys and a namespace that cannot prefix a name', () => {
    expect(checkHost({ namespace: 'or ders', exposed: [] }, 'OrdersService')).toMatchObject([
      { code: 'NAME_INVALID', className: 'OrdersService' },
      { code: 'OPTION_UNKNOWN', remedy: expect.stringContaining('expose') },
    ]);
    expect(checkDefaults({ namespace: 'orders' })).toMatchObject([{ code: 'OPTION_UNKNOWN' }]);
    expect(checkHost('orders', 'OrdersService')).toMatchObject([{ code: 'OPTION_INVALID' }]);
  });

  it('leave inherited values to the capabilities that inherit them', () => {
    expect(
      checkHost(
        { namespace: 'orders', expose: ['soap'], risk: 'low', permission: null, tags: [], approval: {} },
        'X',
      ),
    ).toEqual([]);
    expect(checkDefaults({ risk: 'huge' })).toEqual([]);
  });
});

describe('checkPolicies', () => {
  it('judges a list of policies by itself', () => {
    expect(
      checkPolicies([policy, policy, { ...policy, name: 'x', phase: 'never' }], place)
        .map(({ code }) => code)
        .sort(),
    ).toEqual(['POLICY_DUPLICATE', 'POLICY_INVALID']);
  });
});
