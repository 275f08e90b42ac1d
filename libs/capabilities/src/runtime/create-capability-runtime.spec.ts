import { z } from 'zod';
import {
  type Capability,
  CapabilityError,
  capabilityFailure,
  type CapabilityPolicy,
  createCapabilityRuntime,
  defineCapability as define,
  FaultLogger,
  isToolError,
  rpcCode,
  RPC_INTERNAL_ERROR,
  toolError,
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

class CapturedFaults extends FaultLogger {
  readonly entries: string[] = [];
  error(message: string, detail: { readonly referenceId: string; readonly error: string }): void {
    this.entries.push(`${message} ${detail.referenceId} ${detail.error}`);
  }
  warn(message: string): void {
    this.entries.push(message);
  }
}

const logger = new CapturedFaults();
const serverIdentity = { name: 'library', version: '1.2.3' };
const { defineCapability, runCapability, serverInfo } = createCapabilityRuntime<AppUser, Permission>({
  policy,
  serverInfo: serverIdentity,
  logger,
});

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

describe('a bound runtime', () => {
  it('keeps the identity of the application and refuses a policy without its rule', () => {
    expect(serverInfo).toBe(serverIdentity);
    expect(() => createCapabilityRuntime({ policy: {} as never, serverInfo })).toThrow(TypeError);
  });

  it('returns the parsed output: defaults applied, unknown keys stripped', async () => {
    await expect(runCapability(readDocument, { slug: 'a' }, user)).resolves.toEqual({
      title: 'a',
      pages: 1,
    });
    const noisy = capability({
      outputSchema: z.object({ kept: z.string() }),
      run: () => ({ kept: 'k', dropped: 1 }),
    });
    await expect(runCapability(noisy, {}, user)).resolves.toEqual({ kept: 'k' });
  });

  it('hands the application its own user object, untouched', async () => {
    const whoami = capability({ run: (_input, context) => ({ value: context.user }) });
    await expect(runCapability(whoami, {}, user)).resolves.toEqual({ value: user });
  });

  it('takes missing arguments for {} and refuses null, lists and strings', async () => {
    await expect(runCapability(capability(), undefined, user)).resolves.toEqual({ value: 'ran' });
    for (const args of [null, [], 'x']) {
      expect((await refusal(runCapability(capability(), args, user))).reason).toBe('INPUT_INVALID');
    }
  });

  it('ignores unknown input keys, unless the capability asks to refuse them', async () => {
    await expect(runCapability(readDocument, { slug: 'a', extra: 1 }, user)).resolves.toMatchObject({
      title: 'a',
    });
    const strict = defineCapability({
      name: 'strict',
      description: 'Refuses unknown keys.',
      inputSchema: z.object({ slug: z.string() }),
      outputSchema: z.object({ slug: z.string() }),
      annotations: { readOnly: true, destructive: false },
      unknownKeys: 'refuse',
      run: (input) => input,
    });
    const error = await refusal(runCapability(strict, { slug: 'a', extra: 1 }, user));
    expect(error.details.field).toBe('extra');
  });

  it('parses once and runs with the parsed value', async () => {
    let parses = 0;
    const counted = capability({
      inputSchema: z.object({ n: z.string().transform((text) => ((parses += 1), Number(text))) }),
      run: (input) => ({ value: input }),
    });
    await expect(runCapability(counted, { n: '5' }, user)).resolves.toEqual({ value: { n: 5 } });
    expect(parses).toBe(1);
  });
});

describe('results that are refusals', () => {
  it('returns the tool error that run returned, without the output schema', async () => {
    const taken = capability({ run: () => toolError('CONFLICT', 'Taken.', { existing_id: '7' }) });
    const result = await runCapability(taken, {}, user);
    expect(isToolError(result)).toBe(true);
    expect(result).toEqual(toolError('CONFLICT', 'Taken.', { existing_id: '7' }));
  });

  it('returns the tool error that run threw', async () => {
    const taken = capability({
      run: () => {
        throw toolError('AMBIGUOUS', 'Which?', { candidates: [{ id: '1', label: 'One' }] });
      },
    });
    await expect(runCapability(taken, {}, user)).resolves.toEqual(
      toolError('AMBIGUOUS', 'Which?', { candidates: [{ id: '1', label: 'One' }] }),
    );
  });

  it('passes a CapabilityError of run on', async () => {
    const busy = capability({
      run: () => {
        throw new CapabilityError('RATE_LIMITED', { retryAfter: 3 });
      },
    });
    expect(await refusal(runCapability(busy, {}, user))).toMatchObject({
      reason: 'RATE_LIMITED',
      details: { retryAfter: 3 },
    });
  });

  it('masks a fault, logs it once under its reference and keeps it as the private cause', async () => {
    logger.entries.splice(0);
    const fault = new Error('secret-xyz');
    const broken = capability({
      run: () => {
        throw fault;
      },
    });
    const error = await refusal(runCapability(broken, {}, user));
    expect(error.cause).toBe(fault);
    expect(rpcCode(error)).toBe(RPC_INTERNAL_ERROR);
    const { error: shown } = capabilityFailure(error, { supportContact: '#library' });
    expect(JSON.stringify(shown)).not.toContain('secret-xyz');
    expect(shown).toMatchObject({ code: 'UPSTREAM', hint: expect.stringContaining('#library') as string });
    expect(logger.entries).toHaveLength(1);
    expect(logger.entries[0]).toContain('probe');
    expect(logger.entries[0]).toContain(shown.executionId);
    expect(logger.entries[0]).toContain('secret-xyz');
  });

  it('masks a result that its schema does not allow', async () => {
    const wrong = capability({ outputSchema: z.object({ value: z.string() }), run: () => ({ value: 4711 }) });
    const error = await refusal(runCapability(wrong, {}, user));
    expect(error.reason).toBe('OUTPUT_INVALID');
    expect(JSON.stringify(capabilityFailure(error))).not.toMatch(/4711|value/);
  });
});
