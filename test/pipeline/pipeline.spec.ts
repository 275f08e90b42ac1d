import { Injectable, NotFoundException, InternalServerErrorException } from '@nestjs/common';
import {
  allow,
  Capability,
  CapabilityContextResolver,
  type CapabilityError,
  CapabilityHost,
  CapabilityPolicy,
  CapabilityRunner,
  deny,
  type HandlerContext,
  hide,
  type Outcome,
  requireApproval,
  toolError,
} from 'nest-capabilities';
import { z } from 'zod';
import { BASE, closeApps, execute, reader, resultOf, writer } from '../nest/support.js';
import { bootPipeline } from './pipeline-app.js';

afterEach(closeApps);

const failure = (outcome: Outcome): CapabilityError => {
  if (outcome.status !== 'failed') throw new Error(`expected a failure, got ${outcome.status}`);
  return outcome.error;
};
const output = (outcome: Outcome): unknown => {
  if (outcome.status !== 'completed') throw new Error(`expected an output, got ${resultOf(outcome)}`);
  return outcome.output;
};

let ran = 0;
let parses = 0;
let seen: unknown[] = [];

beforeEach(() => {
  ran = 0;
  parses = 0;
  seen = [];
});

@Injectable()
@CapabilityHost({ namespace: 'docs', expose: BASE.expose, risk: 'low', permission: 'docs:read' })
class Docs {
  @Capability.read({
    description: 'Counts its parses.',
    inputSchema: z.object({
      n: z.coerce.number().transform((n) => {
        parses++;
        return n;
      }),
    }),
  })
  counted(input: { n: number }): { n: number } {
    ran++;
    seen.push(input);
    return input;
  }

  @Capability.write({
    description: 'Writes.',
    permission: 'docs:write',
    inputSchema: z.object({ id: z.string() }),
    approval: { required: false },
  })
  write(input: { id: string }, ctx: HandlerContext): { id: string; surface: string } {
    ran++;
    return { id: input.id, surface: ctx.surface };
  }

  @Capability.read({
    description: 'Fails in a declared way.',
    failures: {
      Closed: { schema: z.object({ id: z.string() }), fix: 'Open it first.', status: 409 },
    },
    inputSchema: z.object({ how: z.string() }),
  })
  fail(input: { how: string }, ctx: HandlerContext): string {
    ran++;
    switch (input.how) {
      case 'declared':
        return ctx.fail('Closed', { id: '7', secret: 'S3CRET', message: 'Order 7 is closed' });
      case 'undeclared':
        return ctx.fail('Other');
      case 'violating':
        return ctx.fail('Closed', { id: 7 });
      case 'http':
        throw new NotFoundException('order 7 not found');
      case 'http500':
        throw new InternalServerErrorException('S3CRET');
      case 'tool':
        throw toolError('CONFLICT', 'already there', { existing_id: '9' });
      default:
        throw new Error('pg://u:S3CRET@db');
    }
  }

  @Capability.read({
    description: 'Leaks.',
    outputSchema: z.object({ id: z.number(), at: z.date().optional() }),
    inputSchema: z.object({ wrong: z.boolean().default(false) }),
    cites: (out) => [{ product: 'docs', kind: 'doc', id: String(out.id) }],
  })
  leak(input: { wrong: boolean }): { id: number; at?: Date } {
    const leaked = { id: input.wrong ? ('S3CRET' as unknown as number) : 1, passwordHash: 'S3CRET' };
    return { ...leaked, at: new Date(0) };
  }

  @Capability.read({
    description: 'Redacts by surface.',
    outputSchema: z.object({ card: z.string() }),
    redact: {
      output: (out, view) => {
        seen.push(Object.isFrozen(view));
        return view.surface === 'direct' ? out : { card: '****' };
      },
    },
  })
  card(): { card: string } {
    return { card: '4111' };
  }

  @Capability.read({
    description: 'Redactor throws.',
    redact: {
      output: () => {
        throw new Error('S3CRET');
      },
    },
  })
  brokenRedactor(): string {
    return 'x';
  }

  @Capability.read({ description: 'Waits.', timeoutMs: 60, inputSchema: z.object({ ms: z.number() }) })
  async slow(input: { ms: number }, ctx: HandlerContext): Promise<string> {
    ran++;
    await new Promise((resolve) => setTimeout(resolve, input.ms));
    seen.push(ctx.signal.aborted);
    return 'done';
  }

  @Capability.read({
    description: 'Retries.',
    retry: { maxAttempts: 2, backoffMs: 1 },
    inputSchema: z.object({ failFor: z.number() }),
  })
  flaky(input: { failFor: number }): number {
    ran++;
    if (ran <= input.failFor) throw toolError('RATE_LIMITED', 'later');
    return ran;
  }

  @Capability.read({
    description: 'Constrained.',
    constraints: ['amount'],
    inputSchema: z.object({ amount: z.number(), note: z.string().trim().optional() }),
  })
  pay(input: { amount: number; note?: string }): number {
    ran++;
    return input.amount;
  }

  @Capability.read({ description: 'Open to everyone.', permission: null })
  open(): string {
    return 'hello';
  }

  @Capability.read({ description: 'Only on MCP.', expose: ['mcp'] })
  onlyMcp(): string {
    return 'x';
  }
}

const bootDocs = (options: Parameters<typeof bootPipeline>[1] = {}) =>
  bootPipeline({ providers: [Docs] }, options);

describe('one parse, one value (SI-10)', () => {
  it('parses once and hands the handler the parsed value', async () => {
    const { app } = await bootDocs();
    expect(output(await execute(app, 'docs.counted', {}, { n: '5' }))).toEqual({ n: 5 });
    expect(parses).toBe(1);
  });

  it('gives the adapter the exact parsed value and the policies a frozen clone', async () => {
    const looked: unknown[] = [];
    const watch = {
      name: 'watch',
      phase: 'invocation' as const,
      evaluate: (request: { input?: unknown }) => {
        looked.push(request.input);
        return allow();
      },
    };
    const { app } = await bootDocs({ policies: [watch] });
    const authorize = ({ input }: { input: unknown }): void => void looked.push(input);
    await execute(app, 'docs.counted', { authorize }, { n: '5' });
    expect(looked[0]).toBe(seen[0]);
    expect(looked[1]).toEqual({ n: 5 });
    expect(looked[1]).not.toBe(seen[0]);
    expect(Object.isFrozen(looked[1])).toBe(true);
  });

  it('takes absent input as {}, and refuses null, arrays and strings', async () => {
    const { app } = await bootDocs();
    expect(output(await execute(app, 'docs.leak', {}, undefined))).toEqual({ id: 1, at: new Date(0) });
    for (const raw of [null, [], '{}', 7]) {
      expect(failure(await execute(app, 'docs.leak', {}, raw)).reason).toBe('INPUT_INVALID');
    }
  });
});

describe('order and concealment', () => {
  it('refuses without permission before any schema detail (SI-05)', async () => {
    const { app } = await bootDocs();
    const error = failure(await execute(app, 'docs.write', { principal: reader }, { bogus: 1 }));
    expect(error.reason).toBe('FORBIDDEN');
    expect(JSON.stringify(error.details)).not.toContain('id');
    expect(ran).toBe(0);
  });

  it('answers unknown, unexposed and hidden alike, and audits which it was (SI-03, SI-04)', async () => {
    const hiding = {
      name: 'hiding',
      phase: 'access' as const,
      hides: true,
      evaluate: ({ capability }: { capability: { name: string } }) =>
        capability.name === 'docs.card' ? hide() : allow(),
    };
    const { app, audit } = await bootDocs({ policies: [hiding] });
    for (const name of ['nope', '__proto__', 'constructor', '', 'docs.onlyMcp', 'docs.card']) {
      const error = failure(await execute(app, name, {}, { x: 1 }));
      expect([error.reason, error.message, error.details]).toEqual(['NOT_FOUND', 'Not found.', {}]);
    }
    const causes = audit.events.flatMap((event) => (event.type === 'denied' ? [event.cause] : []));
    expect(causes).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'UNEXPOSED', 'HIDDEN']);
  });

  it('hides for a failing access policy, even from who lacks the permission (SI-06)', async () => {
    const failing = {
      name: 'failing',
      phase: 'access' as const,
      evaluate: () => {
        throw new Error('S3CRET');
      },
    };
    const { app, audit } = await bootDocs({ policies: [failing] });
    expect(failure(await execute(app, 'docs.write', {}, {})).reason).toBe('NOT_FOUND');
    const denied = audit.events.find((event) => event.type === 'denied');
    expect(denied).toMatchObject({ cause: 'HIDDEN', stances: [{ policy: 'failing', effect: 'failed' }] });
  });

  it('refuses a caller who is nobody before looking at the name (SI-02)', async () => {
    const { app } = await bootDocs();
    for (const principal of [null, { id: '', kind: 'user', user: {} } as const]) {
      expect(failure(await execute(app, 'nope', { principal })).reason).toBe('UNAUTHENTICATED');
    }
    const anonymous = { id: 'anonymous', kind: 'anonymous', user: null } as const;
    expect(failure(await execute(app, 'docs.card', { principal: anonymous })).reason).toBe('UNAUTHENTICATED');
    expect(output(await execute(app, 'docs.open', { principal: anonymous }))).toBe('hello');
  });

  it('denies a permission whose scope the token lacks, without asking the policy', async () => {
    const { app } = await bootDocs();
    const principal = { ...writer, scopes: ['docs:read'] };
    const error = failure(await execute(app, 'docs.write', { principal }, { id: '1' }));
    expect([error.reason, error.details.missingScopes]).toEqual(['FORBIDDEN', ['docs:write']]);
  });
});

describe('policies', () => {
  const rule = (name: string, evaluate: () => never) => ({ name, phase: 'invocation' as const, evaluate });

  it.each([
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
    ['answers nonsense', () => 'yes' as never],
    ['never answers', () => new Promise(() => undefined) as never],
    ['hides too late', () => hide() as never],
  ])('denies when a policy %s', async (_, evaluate) => {
    const { app } = await bootDocs({ policies: [rule('odd', evaluate)], policyTimeoutMs: 30 });
    expect(failure(await execute(app, 'docs.write', { principal: writer }, { id: '1' })).reason).toBe(
      'FORBIDDEN',
    );
    expect(ran).toBe(0);
  });

  it('lets deny win over require-approval and shows its reason', async () => {
    const { app } = await bootDocs({
      policies: [
        rule('ask', () => requireApproval({ reason: 'big' }) as never),
        rule('no', () => deny('Not on Sundays.') as never),
      ],
    });
    expect(failure(await execute(app, 'docs.write', { principal: writer }, { id: '1' })).message).toBe(
      'Not on Sundays.',
    );
  });

  it('denies when the permission rule throws, times out or answers nonsense (SI-06)', async () => {
    for (const answer of [
      () => {
        throw new Error('x');
      },
      () => new Promise(() => undefined),
      () => 'true',
      () => undefined,
    ]) {
      class Odd extends CapabilityPolicy {
        userHasPermission = answer as never;
      }
      const { app } = await bootDocs({ policy: { useValue: new Odd() }, policyTimeoutMs: 30 });
      expect(failure(await execute(app, 'docs.card')).reason).toBe('FORBIDDEN');
    }
  });

  it('asks authorize after the permission and shows its refusal', async () => {
    class Strict extends CapabilityPolicy {
      userHasPermission(): boolean {
        return true;
      }
      override authorize(capability: { name: string }): string | null {
        return capability.name === 'docs.card' ? 'Cards are closed.' : null;
      }
    }
    const { app } = await bootDocs({ policy: Strict });
    expect(failure(await execute(app, 'docs.card')).message).toBe('Cards are closed.');
    expect(output(await execute(app, 'docs.leak'))).toMatchObject({ id: 1 });
  });
});

describe('constraints of a grant (SI-08)', () => {
  const granted = (constraints: Record<string, unknown>) => ({
    ...writer,
    grants: { 'docs.pay': { constraints } },
  });

  it('lets through what was granted and refuses the rest', async () => {
    const { app } = await bootDocs();
    const principal = granted({ amount: { max: 100 } });
    expect(output(await execute(app, 'docs.pay', { principal }, { amount: 100 }))).toBe(100);
    for (const raw of [{ amount: 101 }, { amount: Number.NaN }]) {
      const { reason } = failure(await execute(app, 'docs.pay', { principal }, raw));
      expect(['CONSTRAINT_VIOLATED', 'INPUT_INVALID']).toContain(reason);
    }
    expect(ran).toBe(1);
  });

  it('refuses a grant that lacks a constraint required today', async () => {
    const { app } = await bootDocs();
    const error = failure(
      await execute(app, 'docs.pay', { principal: granted({ note: 'a' }) }, { amount: 1, note: 'a' }),
    );
    expect(error.message).toContain('missing required constraints: amount');
  });

  it('refuses a constrained field that parsing changed, and a getter that changes its mind', async () => {
    const { app } = await bootDocs();
    const principal = granted({ amount: 1, note: { in: ['a', ' a '] } });
    const changed = failure(await execute(app, 'docs.pay', { principal }, { amount: 1, note: ' a ' }));
    expect(changed.message).toContain('changed during validation: note');
    let reads = 0;
    const fickle = Object.defineProperty({}, 'amount', {
      enumerable: true,
      get: () => (reads++ === 0 ? 1 : 9_999),
    });
    const honest = granted({ amount: 1 });
    expect(failure(await execute(app, 'docs.pay', { principal: honest }, fickle)).reason).toBe(
      'CONSTRAINT_VIOLATED',
    );
    expect(ran).toBe(0);
  });
});

describe('failures', () => {
  it('keeps a declared failure with its declared fields only', async () => {
    const { app } = await bootDocs();
    const error = failure(await execute(app, 'docs.fail', {}, { how: 'declared' }));
    expect(error).toMatchObject({ code: 'CONFLICT', status: 409, message: 'Order 7 is closed' });
    expect(error.details).toEqual({ hint: 'Open it first.', failure: { id: '7', tag: 'Closed' } });
  });

  it.each(['undeclared', 'violating', 'http500', 'boom'])('masks %s (SI-15)', async (how) => {
    const { app } = await bootDocs();
    const error = failure(await execute(app, 'docs.fail', {}, { how }));
    expect([error.reason, error.message]).toEqual(['INTERNAL', 'Something went wrong on our side.']);
    expect(JSON.stringify({ ...error.details, message: error.message })).not.toContain('S3CRET');
  });

  it('keeps HttpException below 500 and tool errors', async () => {
    const { app } = await bootDocs();
    expect(failure(await execute(app, 'docs.fail', {}, { how: 'http' }))).toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
      message: 'order 7 not found',
    });
    expect(failure(await execute(app, 'docs.fail', {}, { how: 'tool' }))).toMatchObject({
      code: 'CONFLICT',
      message: 'already there',
    });
  });
});

describe('output', () => {
  it('strips undeclared fields and cites (SI-13)', async () => {
    const { app } = await bootDocs();
    const outcome = await execute(app, 'docs.leak', { surface: 'rest' });
    expect(outcome).toMatchObject({
      status: 'completed',
      output: { id: 1, at: '1970-01-01T00:00:00.000Z' },
      cites: [{ product: 'docs', kind: 'doc', id: '1' }],
    });
    expect(JSON.stringify(outcome)).not.toContain('passwordHash');
  });

  it('masks an output that does not fit', async () => {
    const { app } = await bootDocs();
    const error = failure(await execute(app, 'docs.leak', {}, { wrong: true }));
    expect([error.reason, error.message]).toEqual(['OUTPUT_INVALID', 'Something went wrong on our side.']);
  });

  it('redacts with a frozen view of the call, and fails closed (SI-14)', async () => {
    const { app } = await bootDocs();
    expect(output(await execute(app, 'docs.card'))).toEqual({ card: '4111' });
    expect(output(await execute(app, 'docs.card', { surface: 'mcp' }))).toEqual({ card: '****' });
    expect(seen).toEqual([true, true]);
    expect(failure(await execute(app, 'docs.brokenRedactor')).reason).toBe('INTERNAL');
  });
});

describe('time (SI-16)', () => {
  it('answers TIMEOUT at the deadline and aborts the handler', async () => {
    const { app, audit } = await bootDocs();
    const error = failure(await execute(app, 'docs.slow', {}, { ms: 150 }));
    expect(error.reason).toBe('TIMEOUT');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(seen).toEqual([true]);
    expect(audit.types().filter((type) => type === 'failed')).toHaveLength(1);
  });

  it('runs nothing for a caller who is already gone', async () => {
    const { app, audit } = await bootDocs();
    const outcome = await execute(app, 'docs.slow', { signal: AbortSignal.abort() }, { ms: 1 });
    expect(failure(outcome).reason).toBe('CANCELLED');
    expect(ran).toBe(0);
    expect(audit.types()).toEqual(['requested', 'cancelled']);
  });

  it('cancels a running call with its caller', async () => {
    const { app } = await bootDocs();
    const controller = new AbortController();
    const running = execute(app, 'docs.slow', { signal: controller.signal }, { ms: 50 });
    setTimeout(() => controller.abort(), 10);
    expect(failure(await running).reason).toBe('CANCELLED');
  });

  it('ends an admission that is never run with its deadline', async () => {
    const { app, audit } = await bootDocs();
    await app.get(CapabilityRunner).admit('docs.slow', { principal: reader });
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(audit.types()).toEqual(['requested', 'denied']);
  });
});

describe('retries', () => {
  it('retries a retryable error up to the bound and records each attempt', async () => {
    const { app, audit } = await bootDocs();
    expect(output(await execute(app, 'docs.flaky', {}, { failFor: 2 }))).toBe(3);
    expect(audit.types()).toEqual(['requested', 'started', 'retried', 'retried', 'completed']);
    ran = 0;
    expect(failure(await execute(app, 'docs.flaky', {}, { failFor: 9 })).code).toBe('RATE_LIMITED');
    expect(ran).toBe(3);
  });
});

describe('observers', () => {
  it('records one requested and one terminal event, with every stance', async () => {
    const { app, audit } = await bootDocs();
    await execute(app, 'docs.write', { principal: writer }, { id: '1' });
    expect(audit.types()).toEqual(['requested', 'started', 'completed']);
    const started = audit.events[1];
    expect(started).toMatchObject({ effect: true, stances: [{ policy: 'permission', effect: 'allow' }] });
    expect(JSON.stringify(audit.events)).not.toContain('"1"');
  });

  it('runs no write whose started event a sink refused (SI-33)', async () => {
    const { app, audit } = await bootDocs();
    audit.refuse = true;
    expect(failure(await execute(app, 'docs.write', { principal: writer }, { id: '1' })).reason).toBe(
      'UNAVAILABLE',
    );
    expect(ran).toBe(0);
    expect(output(await execute(app, 'docs.card'))).toEqual({ card: '4111' });
  });

  it('gives hooks validated input and output, and on failure only what was reached (SI-40)', async () => {
    const { app, hooks } = await bootDocs();
    await execute(app, 'docs.counted', {}, { n: '5' });
    expect(hooks.ends[0]).toMatchObject({ name: 'docs.counted', input: { n: 5 }, output: { n: 5 } });
    await execute(app, 'docs.counted', {}, { n: 'x' });
    expect(hooks.errors[0]).not.toHaveProperty('input');
    await execute(app, 'docs.fail', {}, { how: 'boom' });
    expect(hooks.errors[1]).toMatchObject({ input: { how: 'boom' }, stage: 'invoke' });
  });

  it('builds the context from principal and parsed input, and refuses as it refuses', async () => {
    class Membership extends CapabilityContextResolver {
      resolve({ input }: { input: unknown }): unknown {
        if ((input as { n?: number }).n === 6) throw new NotFoundException('no such tenant');
        return { role: 'owner' };
      }
    }
    const { app, hooks } = await bootDocs({ context: Membership });
    await execute(app, 'docs.counted', {}, { n: '5' });
    expect(hooks.ends[0]).toMatchObject({ context: { role: 'owner' } });
    expect(failure(await execute(app, 'docs.counted', {}, { n: '6' })).status).toBe(404);
    expect(ran).toBe(1);
  });
});

describe('lists', () => {
  it('shows what is exposed, permitted and not hidden, in order of names', async () => {
    const { app } = await bootDocs();
    const runner = app.get(CapabilityRunner);
    const names = async (who: typeof reader) =>
      (await runner.visible(who as never, 'rest')).map(({ name }) => name);
    expect(await names(reader)).not.toContain('docs.write');
    expect(await names(writer)).toContain('docs.write');
    expect(await names(writer)).toEqual([...(await names(writer))].sort());
  });
});
