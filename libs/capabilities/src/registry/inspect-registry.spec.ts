import { z } from 'zod';
import type { CapabilityOptions } from '../contract/capability-options.js';
import { allow } from '../contract/policy-rule.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { buildDefinition } from './build-definition.js';
import { CapabilityRegistry } from './capability-registry.js';

const define = (options: Partial<CapabilityOptions>) => {
  const full = {
    description: 'It.',
    sideEffect: 'write',
    expose: ['rest'],
    risk: 'low',
    permission: null,
    ...options,
  } as const;
  const { definition } = buildDefinition(
    {
      options: full,
      source: { className: 'Host', methodName: 'it', moduleName: 'AppModule' },
      paramTypes: [],
      paramCount: 0,
    },
    { compiler: new SchemaCompiler(), handler: { guard: undefined, invoke: () => undefined } },
  );
  return definition!;
};

describe('registry.inspect()', () => {
  const registry = new CapabilityRegistry();
  registry.install('rest');
  registry.seal([
    define({ name: 'b.hidden', expose: [], outputSchema: z.void() }),
    define({
      name: 'a.full',
      expose: ['rest', 'mcp'],
      outputSchema: z.object({ at: z.string().transform((text) => text.length) }),
      approval: { required: true, quorum: 2 },
      idempotent: true,
      retry: { maxAttempts: 3 },
      policies: [{ name: 'hours', phase: 'access', evaluate: allow }],
      failures: { Closed: { schema: z.object({}), fix: 'Reopen it.' } },
      deprecated: 'Use c.',
      version: '2',
    }),
  ]);
  const [full, hidden] = registry.inspect();

  it('says what is exposed, and where no surface serves it', () => {
    expect(full).toMatchObject({
      name: 'a.full',
      expose: ['rest', 'mcp'],
      unexposed: false,
      inertSurfaces: ['mcp'],
    });
    expect(hidden).toMatchObject({ name: 'b.hidden', unexposed: true, inertSurfaces: [] });
    expect(registry.inspect(['mcp'])[0]?.inertSurfaces).toEqual(['rest']);
  });

  it('says what is known about the output', () => {
    expect(full).toMatchObject({ outputUndeclared: false, opaqueOutput: [expect.stringContaining('at')] });
    expect(hidden).toMatchObject({ outputUndeclared: false, opaqueOutput: [] });
    const undeclared = new CapabilityRegistry();
    undeclared.seal([define({ name: 'c' })]);
    expect(undeclared.inspect()[0]).toMatchObject({ outputUndeclared: true, inertSurfaces: ['rest'] });
  });

  it('sums up governance and origin', () => {
    expect(full).toMatchObject({
      source: { className: 'Host', methodName: 'it', moduleName: 'AppModule' },
      sideEffect: 'write',
      risk: 'low',
      permission: null,
      approval: { required: true, quorum: 2, decideWithin: 900_000 },
      policies: ['hours'],
      failures: ['Closed'],
      idempotent: true,
      retries: 3,
      timeoutMs: 30_000,
      deprecated: 'Use c.',
      version: '2',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(hidden?.retries).toBe(0);
  });
});
