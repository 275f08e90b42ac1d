import { Injectable } from '@nestjs/common';
import {
  ApprovalService,
  AuditTrail,
  Capability,
  CapabilityHost,
  type CapabilityPolicyRule,
  CapabilityRunner,
  type CapabilityError,
  type Outcome,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
  allow,
  completePrincipal,
  requireApproval,
  toolError,
} from 'nest-capabilities';
import { z } from 'zod';
import { BASE, closeApps, resultOf } from '../nest/support.js';
import { bootPipeline, type PipelineApp } from './pipeline-app.js';

afterEach(closeApps);

const person = (id: string, ...permissions: string[]): PrincipalInput => ({
  id,
  kind: 'user',
  credentialId: `key-${id}`,
  user: { id, permissions },
});
const people = {
  alice: person('alice', 'docs:read', 'docs:write'),
  bob: person('bob', 'docs:read', 'approvals:decide', 'approvals:operate'),
  dave: person('dave', 'docs:read', 'approvals:decide'),
};
const rights = new Map<string, PrincipalInput | null>();

class People extends PrincipalResolver {
  resolve(): null {
    return null;
  }
  override reload(ref: PrincipalRef): PrincipalInput | null {
    return rights.get(ref.id) ?? null;
  }
}

let effects: unknown[] = [];
let demand = true;

@Injectable()
@CapabilityHost({ namespace: 'money', expose: BASE.expose, risk: 'high', permission: 'docs:write' })
class Money {
  @Capability.write({
    description: 'Refunds.',
    inputSchema: z.object({
      dollars: z.number().transform((n) => n * 100),
      at: z.coerce.date().default(() => new Date()),
      big: z.bigint().optional(),
    }),
    outputSchema: z.object({ cents: z.number(), seenAt: z.date() }),
    approval: { required: false },
    redact: { output: (out, { surface }) => (surface === 'direct' ? out : { ...out, cents: 0 }) },
  })
  refund(input: { dollars: number; at: Date; big?: bigint }): { cents: number; seenAt: Date } {
    effects.push(input);
    if (input.dollars === 1300) throw toolError('CONFLICT', 'unlucky');
    if (input.dollars === 6600) throw new Error('boom');
    return { cents: input.dollars, seenAt: input.at };
  }

  @Capability.destructive({
    description: 'Wipes.',
    inputSchema: z.object({ id: z.number() }),
    approval: { required: true },
  })
  wipe(input: { id: number }): number {
    effects.push(input);
    return input.id;
  }

  @Capability.destructive({ description: 'Drops.', inputSchema: z.object({ id: z.number() }) })
  drop(input: { id: number }): number {
    effects.push(input);
    return input.id;
  }
}

const gate: CapabilityPolicyRule = {
  name: 'gate',
  phase: 'invocation',
  evaluate: ({ capability }) =>
    demand && capability.name === 'money.refund' ? requireApproval({ reason: 'over the limit' }) : allow(),
};

let pipeline: PipelineApp;
let runner: CapabilityRunner;
let approvals: ApprovalService;

beforeEach(async () => {
  effects = [];
  demand = true;
  for (const [id, input] of Object.entries(people)) rights.set(id, input);
  pipeline = await bootPipeline({ providers: [Money] }, { policies: [gate], principals: People });
  runner = pipeline.app.get(CapabilityRunner);
  approvals = pipeline.app.get(ApprovalService);
});

const full = (input: PrincipalInput) => completePrincipal(input)!;
const ask = async (input: unknown, options: object = {}): Promise<string> => {
  const outcome = await runner.execute('money.refund', input, {
    principal: people.alice,
    surface: 'rest',
    ...options,
  });
  if (outcome.status !== 'suspended') throw new Error(resultOf(outcome));
  return outcome.approval.approvalId;
};
const run = (id: string): Promise<Outcome> =>
  runner.executeApproval(id, { principal: people.alice, surface: 'rest' });
const failure = (outcome: Outcome): CapabilityError => {
  if (outcome.status !== 'failed') throw new Error(resultOf(outcome));
  return outcome.error;
};

describe('an approved call', () => {
  it('runs the stored value once, without a second parse, on the recorded surface (SI-18)', async () => {
    const id = await ask({ dollars: 5 });
    expect(effects).toEqual([]);
    const before = Date.now();
    await approvals.decide(full(people.bob), id, { decision: 'approve' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const outcome = await run(id);
    expect(outcome).toMatchObject({ status: 'completed', output: { cents: 0 } });
    expect(effects).toHaveLength(1);
    const [ran] = effects as [{ dollars: number; at: Date }];
    expect(ran.dollars).toBe(500);
    expect(ran.at.getTime()).toBeLessThanOrEqual(before);
    expect(failure(await run(id)).reason).toBe('CONSUMED');
    expect(effects).toHaveLength(1);
  });

  it('keeps a bigint and ties every event to one correlation', async () => {
    const id = await ask({ dollars: 5, big: '12345678901234567890' });
    await approvals.decide(full(people.bob), id, { decision: 'approve' });
    await run(id);
    expect(effects).toMatchObject([{ big: 12345678901234567890n }]);
    const mine = pipeline.audit.events.filter((event) => event.approvalId === id);
    expect(new Set(mine.map((event) => event.correlationId)).size).toBe(1);
    expect(mine.map((event) => event.type)).toEqual([
      'suspended',
      'decided',
      'requested',
      'started',
      'completed',
    ]);
  });

  it('is decided by another human with another credential (SI-20, SI-21)', async () => {
    const id = await ask({ dollars: 5 });
    const agent: PrincipalInput = { ...people.bob, id: 'bot', kind: 'agent', human: 'bob' };
    await expect(approvals.decide(full(people.alice), id, { decision: 'approve' })).rejects.toMatchObject({
      reason: 'SELF_APPROVAL',
    });
    await expect(approvals.decide(full(agent), id, { decision: 'approve' })).rejects.toMatchObject({
      reason: 'SAME_CREDENTIAL',
    });
    expect(failure(await runner.executeApproval(id, { principal: people.bob })).reason).toBe('FORBIDDEN');
    expect(await run(id)).toMatchObject({ status: 'suspended', approval: { approvalId: id } });
  });

  it('refuses without burning the record when rights are gone, and is void when the approver is (SI-23)', async () => {
    const id = await ask({ dollars: 5 });
    await approvals.decide(full(people.bob), id, { decision: 'approve' });
    rights.set('alice', person('alice', 'docs:read'));
    expect(failure(await run(id)).reason).toBe('FORBIDDEN');
    rights.set('alice', people.alice);
    rights.set('bob', null);
    expect(failure(await run(id)).reason).toBe('APPROVAL_VOID');
    rights.set('bob', people.bob);
    expect(failure(await run(id)).reason).toBe('APPROVAL_VOID');
    expect(effects).toEqual([]);
  });

  it('answers 200 racers with one effect (SI-19)', async () => {
    const id = await ask({ dollars: 5 });
    await approvals.decide(full(people.bob), id, { decision: 'approve' });
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => run(id)));
    expect(outcomes.filter(({ status }) => status === 'completed')).toHaveLength(1);
    expect(outcomes.filter((outcome) => resultOf(outcome) === 'CONSUMED')).toHaveLength(199);
    expect(effects).toHaveLength(1);
  });

  it('coalesces identical pending requests and asks anew after execution', async () => {
    const at = '2026-01-02T03:04:05.000Z';
    const [one, two] = [await ask({ dollars: 5, at }), await ask({ at, dollars: 5 })];
    expect(two).toBe(one);
    await approvals.decide(full(people.bob), one, { decision: 'approve' });
    await run(one);
    expect(await ask({ dollars: 5, at })).not.toBe(one);
  });

  it('never runs after a denial, and says why', async () => {
    const id = await ask({ dollars: 5 });
    await approvals.decide(full(people.bob), id, { decision: 'reject', reason: 'no' });
    const error = failure(await run(id));
    expect([error.reason, error.message]).toEqual(['APPROVAL_DENIED', 'The request was denied: no']);
  });
});

describe('surfaces and gates', () => {
  it('asks on model surfaces for whatever is not read-only, and the identical call executes once approved', async () => {
    const asked = await runner.execute('money.drop', { id: 1 }, { principal: people.alice, surface: 'mcp' });
    if (asked.status !== 'suspended') throw new Error(resultOf(asked));
    const console_ = full({ ...people.alice, credentialId: 'browser' });
    await approvals.decide(console_, asked.approval.approvalId, { decision: 'approve' });
    const again = await runner.execute('money.drop', { id: 1 }, { principal: people.alice, surface: 'mcp' });
    expect(again).toMatchObject({ status: 'completed', output: 1 });
    expect(effects).toEqual([{ id: 1 }]);
    expect(
      await runner.execute('money.drop', { id: 2 }, { principal: people.alice, surface: 'rest' }),
    ).toMatchObject({ status: 'completed' });
  });

  it('answers the same pending id on REST for an approved, unexecuted record', async () => {
    const first = await runner.execute('money.wipe', { id: 1 }, { principal: people.alice, surface: 'rest' });
    if (first.status !== 'suspended') throw new Error(resultOf(first));
    await approvals.decide(full(people.bob), first.approval.approvalId, { decision: 'approve' });
    const again = await runner.execute('money.wipe', { id: 1 }, { principal: people.alice, surface: 'rest' });
    expect(again).toMatchObject({ status: 'suspended', approval: { approvalId: first.approval.approvalId } });
    expect(effects).toEqual([]);
  });

  it('lets the human behind the call confirm at once where the surface can ask', async () => {
    const confirmer = { confirm: async () => ({ decision: 'approve' as const }) };
    const done = await runner.execute(
      'money.drop',
      { id: 3 },
      { principal: people.alice, surface: 'mcp', confirmer },
    );
    expect(done).toMatchObject({ status: 'completed', output: 3 });
    const no = { confirm: async () => ({ decision: 'reject' as const, reason: 'never' }) };
    const denied = await runner.execute(
      'money.drop',
      { id: 4 },
      { principal: people.alice, surface: 'mcp', confirmer: no },
    );
    expect(failure(denied).reason).toBe('APPROVAL_DENIED');
    expect(effects).toEqual([{ id: 3 }]);
  });
});

describe('idempotency keys', () => {
  const call = (input: unknown, idempotencyKey: string, more: object = {}): Promise<Outcome> =>
    runner.execute('money.refund', input, {
      principal: people.alice,
      surface: 'rest',
      idempotencyKey,
      ...more,
    });
  const at = '2026-01-02T03:04:05.000Z';

  beforeEach(() => {
    demand = false;
  });

  it('replays the outcome, redacting again for the replaying surface', async () => {
    const first = await call({ dollars: 5, at }, 'k1');
    const again = await call({ at, dollars: 5 }, 'k1');
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again).toMatchObject({ output: { cents: 0, seenAt: at } });
    const direct = await call({ dollars: 5, at: new Date(at) }, 'k1', { surface: 'direct' });
    expect(direct).toMatchObject({ replayed: true, output: { cents: 500, seenAt: new Date(at) } });
    expect(effects).toHaveLength(1);
  });

  it('refuses other input, other forms, and keeps callers apart', async () => {
    await call({ dollars: 5, at }, 'k1');
    expect(failure(await call({ dollars: 6, at }, 'k1')).reason).toBe('KEY_REUSED');
    expect(failure(await call({ dollars: 6, at }, 'a b')).details.field).toBe('Idempotency-Key');
    const other = { principal: { ...people.alice, id: 'dave', human: 'dave' } };
    expect((await call({ dollars: 5, at }, 'k1', other)).replayed).toBe(false);
    expect(effects).toHaveLength(2);
  });

  it('replays a failure that was told, and answers OUTCOME_UNKNOWN after a masked one', async () => {
    expect(failure(await call({ dollars: 13, at }, 'k2')).message).toBe('unlucky');
    const again = await call({ dollars: 13, at }, 'k2');
    expect([failure(again).message, again.replayed]).toEqual(['unlucky', true]);
    expect(failure(await call({ dollars: 66, at }, 'k3')).reason).toBe('INTERNAL');
    expect(failure(await call({ dollars: 66, at }, 'k3')).reason).toBe('OUTCOME_UNKNOWN');
    expect(effects).toHaveLength(2);
  });

  it('runs once for fifty parallel callers (SI-19)', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => call({ dollars: 5, at }, 'k4')));
    expect(effects).toHaveLength(1);
    expect(new Set(outcomes.map(resultOf))).toEqual(new Set(['completed', 'IN_PROGRESS']));
  });

  it('answers the same approval while suspended, then its outcome', async () => {
    demand = true;
    const first = await call({ dollars: 5, at }, 'k5');
    const again = await call({ dollars: 5, at }, 'k5');
    if (first.status !== 'suspended' || again.status !== 'suspended') throw new Error('not suspended');
    expect(again.approval).toEqual(first.approval);
    await approvals.decide(full(people.bob), first.approval.approvalId, { decision: 'approve' });
    await run(first.approval.approvalId);
    expect(await call({ dollars: 5, at }, 'k5')).toMatchObject({ status: 'completed', replayed: true });
    expect(effects).toHaveLength(1);
  });
});

it('keeps a chain that verifies', async () => {
  const id = await ask({ dollars: 5 });
  await approvals.decide(full(people.bob), id, { decision: 'approve' });
  await run(id);
  expect(await pipeline.app.get(AuditTrail).verify('default')).toMatchObject({ ok: true });
});
