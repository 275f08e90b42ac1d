import { z } from 'zod';
import {
  type Capability,
  CapabilityError,
  capabilityFailure,
  type CapabilityPolicy,
  defineCapability as define,
  rpcCode,
  RPC_FORBIDDEN,
  RPC_INVALID_PARAMS,
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

const readDocument: Capability<AppUser, Permission> = define({
  name: 'read_document',
  description: 'Read one document by slug.',
  inputSchema: z.object({ slug: z.string(), state: z.enum(['draft', 'final']).optional() }),
  outputSchema: z.object({ title: z.string(), pages: z.number().default(1) }),
  annotations: { readOnly: true, destructive: false },
  requiredPermission: 'documents:read',
  run: async ({ slug }) => ({ title: slug }),
});

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

describe('the order of the checks', () => {
  const asked: string[] = [];
  const recording: CapabilityPolicy<AppUser, Permission> = {
    userHasPermission: (who, permission) => {
      asked.push('permission');
      return who.permissions.includes(permission);
    },
    authorize: (subject, who) => {
      asked.push(`authorize ${subject.name} ${who.id}`);
      return null;
    },
  };
  const traced = capability({
    requiredPermission: 'documents:read',
    inputSchema: z.object({
      n: z.unknown().refine(() => {
        asked.push('input');
        return true;
      }),
    }),
    outputSchema: z.object({}).refine(() => {
      asked.push('output');
      return true;
    }),
    run: () => {
      asked.push('run');
      return {};
    },
  });

  beforeEach(() => asked.splice(0));

  it('is permission, authorize, input, run, output', async () => {
    await runCapability(traced, { n: 1 }, user, recording);
    expect(asked).toEqual(['permission', 'authorize probe ann', 'input', 'run', 'output']);
  });

  it('refuses without permission before anything else, and tells nothing of the schema', async () => {
    const stranger: AppUser = { ...user, permissions: [] };
    const error = await refusal(runCapability(readDocument, { nonsense: true }, stranger, recording));
    expect(asked).toEqual(['permission']);
    expect(rpcCode(error)).toBe(RPC_FORBIDDEN);
    expect(JSON.stringify(capabilityFailure(error))).not.toContain('slug');
  });

  it('asks no permission of a capability that requires none', async () => {
    await expect(
      runCapability(capability(), {}, { ...user, permissions: [] }, recording),
    ).resolves.toBeDefined();
    expect(asked).toEqual(['authorize probe ann']);
  });

  it('gives the refusal of authorize as the message', async () => {
    const scoped = { ...policy, authorize: async () => 'The token lacks documents:read.' };
    const error = await refusal(runCapability(readDocument, { slug: 'a' }, user, scoped));
    expect(error.message).toBe('The token lacks documents:read.');
    expect(rpcCode(error)).toBe(RPC_FORBIDDEN);
  });

  it('names field and permitted values of a wrong input', async () => {
    const error = await refusal(runCapability(readDocument, { slug: 'a', state: 'x' }, user, policy));
    expect(rpcCode(error)).toBe(RPC_INVALID_PARAMS);
    expect(capabilityFailure(error).error).toMatchObject({
      code: 'VALIDATION',
      field: 'state',
      allowed: ['draft', 'final'],
    });
  });
});

describe('rules that fail closed', () => {
  it.each([
    ['answers a promise of false', { userHasPermission: async () => false }],
    ['answers something that is merely truthy', { userHasPermission: () => 'yes' as never }],
    [
      'throws',
      {
        userHasPermission: () => {
          throw new Error('down');
        },
      },
    ],
  ])('denies when the permission rule %s', async (_, rule: CapabilityPolicy<AppUser, Permission>) => {
    expect((await refusal(runCapability(readDocument, { slug: 'a' }, user, rule))).reason).toBe('FORBIDDEN');
  });

  it.each([
    ['an empty refusal', () => ''],
    ['nothing', () => undefined as never],
    ['true', () => true as never],
    ['a rejection', () => Promise.reject(new Error('down'))],
  ])('denies when authorize answers %s', async (_, authorize) => {
    const error = await refusal(runCapability(readDocument, { slug: 'a' }, user, { ...policy, authorize }));
    expect(error.reason).toBe('FORBIDDEN');
    expect(error.message).not.toBe('');
  });

  it('refuses a caller that is not there', async () => {
    const error = await refusal(runCapability(capability(), {}, null as never, policy));
    expect(error.reason).toBe('UNAUTHENTICATED');
  });
});
