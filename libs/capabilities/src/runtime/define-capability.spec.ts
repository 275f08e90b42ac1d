import { z } from 'zod';
import { defineContract, implement } from '../contract/index.js';
import {
  type Capability,
  CapabilityDefinitionError,
  CapabilityError,
  capabilityFailure,
  type CapabilityPolicy,
  defineCapability as define,
  runCapability,
} from './index.js';

type Permission = 'documents:read' | 'documents:write';
interface AppUser {
  readonly id: string;
  readonly appRoles: string[];
  readonly permissions: Permission[];
}

const user: AppUser = { id: 'ann', appRoles: ['editor'], permissions: ['documents:read'] };
const policy: CapabilityPolicy<AppUser, Permission> = {
  userHasPermission: (who, permission) => who.permissions.includes(permission),
};

/** A capability whose `run` is under test. */
function capability(over: Partial<Capability<AppUser, Permission>> = {}): Capability<AppUser, Permission> {
  return define({
    name: 'probe',
    description: 'A probe.',
    inputSchema: z.object({ n: z.coerce.number().optional() }),
    outputSchema: z.object({ value: z.unknown() }),
    annotations: { readOnly: true, destructive: false },
    run: () => ({ value: 'ran' }),
    ...over,
  } as never);
}

/** What a refused call throws. */
async function refusal(call: Promise<unknown>): Promise<CapabilityError> {
  const outcome: unknown = await call.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  if (outcome instanceof CapabilityError) return outcome;
  throw new Error(`Expected a CapabilityError, got ${JSON.stringify(outcome)}`);
}

describe('defineCapability', () => {
  it.each([
    ['a name outside the grammar', { name: 'read document' }],
    ['a reserved name', { name: '__proto__' }],
    ['annotations that contradict each other', { annotations: { readOnly: true, destructive: true } }],
    ['annotations that leave one out', { annotations: { readOnly: true } as never }],
    ['no annotations', { annotations: undefined as never }],
    ['no output schema', { outputSchema: undefined as never }],
    ['no run', { run: undefined as never }],
    ['an option of the decorator', { permission: 'documents:write' } as never],
    ['a misspelt option', { requiredPermision: 'documents:write' } as never],
    ['a schema that JSON cannot express', { inputSchema: z.object({ at: z.map(z.string(), z.string()) }) }],
    [
      'a retry on a write',
      { annotations: { readOnly: false, destructive: false }, retry: { maxAttempts: 1 } } as never,
    ],
  ])('refuses to define a capability with %s', (_, over) => {
    expect(() => capability(over)).toThrow(CapabilityDefinitionError);
  });

  it('tells every problem of a definition in one error', () => {
    try {
      capability({ name: 'a b', annotations: undefined as never, run: undefined as never });
      throw new Error('defined');
    } catch (error) {
      expect(error).toBeInstanceOf(CapabilityDefinitionError);
      const codes = (error as CapabilityDefinitionError).problems.map((problem) => problem.code);
      expect(codes).toEqual(
        expect.arrayContaining(['NAME_INVALID', 'SIDE_EFFECT_UNCLEAR', 'OPTION_MISSING']),
      );
    }
  });
});

describe('implemented contracts', () => {
  const contract = defineContract({
    name: 'close_document',
    description: 'Close a document.',
    access: 'read',
    inputSchema: z.object({ slug: z.string() }),
    outputSchema: z.object({ closed: z.boolean() }),
    failures: {
      AlreadyClosed: {
        schema: z.object({ message: z.string(), since: z.string() }),
        fix: 'Leave it closed.',
      },
    },
  });
  const implemented = implement(contract, ({ slug }, { fail }) =>
    slug === 'old' ? fail('AlreadyClosed', { message: 'Closed.', since: '2020' }) : { closed: true },
  );

  it('run like any capability, under the permission that the server adds', async () => {
    const close = define<AppUser, Permission>(implemented, { requiredPermission: 'documents:read' });
    await expect(runCapability(close, { slug: 'a' }, user, policy)).resolves.toEqual({ closed: true });
    const stranger = { ...user, permissions: [] };
    expect((await refusal(runCapability(close, { slug: 'a' }, stranger, policy))).reason).toBe('FORBIDDEN');
  });

  it('show declared failures with their next step', async () => {
    const error = await refusal(
      runCapability(define<AppUser, Permission>(implemented), { slug: 'old' }, user, policy),
    );
    expect(capabilityFailure(error).error).toMatchObject({
      code: 'CONFLICT',
      message: 'Closed.',
      hint: 'Leave it closed.',
      failure: { tag: 'AlreadyClosed', since: '2020' },
    });
  });

  it('are refused when an operator must decide, as there is nowhere to ask', () => {
    const gated = defineContract({
      name: 'wipe',
      description: 'Wipe everything.',
      access: 'host',
      reversible: false,
      describe: () => ({
        verb: 'wipe',
        target: { product: 'library', kind: 'shelf', id: 'all' },
        arguments: {},
      }),
      inputSchema: z.object({}),
      outputSchema: z.object({}),
    });
    expect(() => define(implement(gated, () => ({})))).toThrow(/APPROVAL_UNSUPPORTED/);
  });
});
