import { setTimeout as pause } from 'node:timers/promises';
import {
  completePrincipal,
  SessionStepUp,
  type CapabilityPolicyRule,
  allow,
  type Outcome,
} from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { ShiftedClock } from 'nest-capabilities/testing';
import { closeApps, resultOf } from '../nest/support.js';
import { ALICE, BOB, CONSOLE, DAVE, demands, failure, full, startDesk } from './desk.js';

afterEach(closeApps);

/** Policies that leave time for a caller to change what it handed over. */
const slow: CapabilityPolicyRule = {
  name: 'slow',
  phase: 'invocation',
  evaluate: async () => {
    await pause(10);
    return allow();
  },
};

describe('what is shown is what runs', () => {
  it('when the caller changes its own object while the call is judged', async () => {
    const { runner, approvals, approve, run, desk } = await startDesk({ policies: [slow] });
    const extra = { payee: 'bob' };
    const asking = runner.execute('desk.wipe', { id: 1, extra }, { principal: ALICE });
    extra.payee = 'mallory';
    const outcome = await asking;
    if (outcome.status !== 'suspended') throw new Error(resultOf(outcome));
    const { approvalId } = outcome.approval;
    const record = await approvals.get(full(BOB), approvalId);
    await approve(BOB, approvalId);
    extra.payee = 'eve';
    expect(await run(approvalId)).toMatchObject({ status: 'completed' });
    expect(desk.effects).toEqual([record.action.arguments]);
  });

  it('for prototype keys, −0, dates, bigints, Maps and undefined members', async () => {
    const { runner, approve, run, desk } = await startDesk();
    const extra = {
      ...(JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as object),
      zero: -0,
      at: new Date(0),
      big: 9007199254740993n,
      map: new Map([
        ['b', 1],
        ['a', 2],
      ]),
      gone: undefined,
    };
    const outcome = await runner.execute('desk.wipe', { id: 1, extra }, { principal: ALICE });
    if (outcome.status !== 'suspended') throw new Error(resultOf(outcome));
    await approve(BOB, outcome.approval.approvalId);
    await run(outcome.approval.approvalId);
    const [{ extra: ran }] = desk.effects as [{ extra: typeof extra }];
    expect(ran).toStrictEqual(extra);
    expect(Object.is(ran.zero, -0)).toBe(true);
    expect(Object.hasOwn(ran, '__proto__')).toBe(true);
    expect([...ran.map.keys()]).toEqual(['b', 'a']);
    expect('gone' in ran).toBe(true);
  });

  it.each([
    [
      'a getter',
      {
        get payee() {
          return Math.random();
        },
      },
    ],
    ['an invalid number', { n: NaN }],
    [
      'a class instance',
      new (class Foreign {
        a = 1;
      })(),
    ],
    ['a function', { f: () => 1 }],
    ['a symbol key', { [Symbol('x')]: 1 }],
    ['a hidden property', Object.defineProperty({}, 'x', { value: 1 })],
    ['a sparse array', Array(3)],
  ])('and refuses %s, which cannot be kept', async (_what, extra) => {
    const { runner } = await startDesk();
    const outcome = await runner.execute('desk.wipe', { id: 1, extra }, { principal: ALICE });
    expect(failure(outcome)).toMatchObject({ reason: 'UNSTORABLE_INPUT' });
  });
});

describe('who an approval is for', () => {
  it('gives its handler the key that was approved with it, and no other', async () => {
    const { ask, approve, runner, desk } = await startDesk();
    const execute = async (id: string): Promise<string | undefined> => {
      await approve(BOB, id);
      await runner.executeApproval(id, { principal: ALICE, idempotencyKey: 'not approved' });
      return desk.key;
    };
    expect(await execute(await ask('desk.wipe', { id: 1 }, { idempotencyKey: 'k1' }))).toBe('k1');
    expect(await execute(await ask('desk.wipe', { id: 2 }))).toBeUndefined();
  });

  it('is not executed with the rights of another tenant', async () => {
    const { ask, approve, run, rights, desk } = await startDesk();
    const id = await ask('desk.wipe', { id: 1 });
    await approve(BOB, id);
    rights.set('alice', { ...ALICE, tenant: 'other' });
    expect((await run(id)).status).toBe('failed');
    expect(desk.effects).toEqual([]);
    rights.set('alice', ALICE);
    expect((await run(id)).status).toBe('completed');
  });

  it('does not run while an approver is not of its tenant', async () => {
    const { ask, approve, run, rights, desk } = await startDesk();
    const id = await ask('desk.wipe', { id: 1 });
    await approve(BOB, id);
    rights.set('bob', { ...BOB, tenant: 'other' });
    expect((await run(id)).status).toBe('failed');
    expect(desk.effects).toEqual([]);
  });

  it('needs as many humans as its quorum still when it executes', async () => {
    const { ask, approve, run, rights, desk } = await startDesk({
      policies: [demands((name) => (name === 'desk.wipe' ? { reason: 'two', quorum: 2 } : undefined))],
    });
    const id = await ask('desk.wipe', { id: 1 });
    await approve(BOB, id);
    await expect(approve({ ...DAVE, human: 'bob' }, id)).rejects.toMatchObject({ reason: 'ALREADY_DECIDED' });
    await approve(DAVE, id);
    rights.set('dave', { ...DAVE, human: 'bob' });
    expect(failure(await run(id)).reason).toBe('QUORUM_UNREACHABLE');
    expect(desk.effects).toEqual([]);
    rights.set('dave', DAVE);
    expect((await run(id)).status).toBe('completed');
  });

  it('is for an operator where the host decides, whomever a policy names', async () => {
    const { ask, approve } = await startDesk({
      policies: [
        demands((name) =>
          name === 'desk.wipe' ? { reason: 'host', by: 'host', approvers: ['dave', 'bob'] } : undefined,
        ),
      ],
    });
    const id = await ask('desk.wipe', { id: 1 });
    await expect(approve(DAVE, id)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    expect((await approve(BOB, id)).state).toBe('approved');
  });

  it('is confirmed by whoever stands behind the caller when it executes', async () => {
    const { ask, approve, run, rights, desk } = await startDesk();
    const agent = { ...ALICE, id: 'agent', kind: 'agent', human: 'alice', credentialId: 'a1' } as const;
    rights.set('agent', agent);
    const id = await ask('desk.drop', { id: 1 }, { surface: 'mcp', principal: agent });
    await approve(CONSOLE, id);
    rights.set('agent', { ...agent, human: 'eve' });
    expect(failure(await run(id)).reason).toBe('FORBIDDEN');
    expect(desk.effects).toEqual([]);
    rights.set('agent', agent);
    expect((await run(id)).status).toBe('completed');
  });

  it('is told apart by tenant, credential and key', async () => {
    const { ask } = await startDesk();
    const ids = [
      await ask('desk.wipe', { id: 1 }),
      await ask('desk.wipe', { id: 1 }, { principal: { ...ALICE, tenant: 'other' } }),
      await ask('desk.wipe', { id: 1 }, { principal: { ...ALICE, credentialId: 'c2' } }),
      await ask('desk.wipe', { id: 1 }, { principal: { ...ALICE, credentialId: null } }),
      await ask('desk.wipe', { id: 1 }, { principal: { ...ALICE, human: 'other' } }),
      await ask('desk.wipe', { id: 1 }, { surface: 'mcp' }),
      await ask('desk.wipe', { id: 1 }, { idempotencyKey: 'k' }),
      await ask('desk.wipe', { id: -0 }),
      await ask('desk.wipe', { id: 0 }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refuses ids that no store can tell apart', () => {
    for (const id of ['a\0b', 'a\ud800', '\udc00b']) {
      expect(completePrincipal({ ...ALICE, id })).toBeUndefined();
      expect(completePrincipal({ ...ALICE, tenant: id })).toBeUndefined();
      expect(completePrincipal({ ...ALICE, human: id })).toBeUndefined();
      expect(completePrincipal({ ...ALICE, credentialId: id })).toBeUndefined();
    }
    expect(completePrincipal({ ...ALICE, id: 'Zoë 🦊' })).toBeDefined();
  });
});

describe('the session strength', () => {
  const clock = new ShiftedClock();
  const verify = (authTime: number | undefined): boolean =>
    new SessionStepUp(clock).verify({
      strength: 'session',
      principal: completePrincipal({ ...BOB, ...(authTime === undefined ? {} : { authTime }) })!,
      approval: undefined as never,
      proof: undefined,
    });
  const now = clock.now() / 1000;

  it.each([
    ['fresh', now - 10, true],
    ['a clock that is a little ahead', now + 20, true],
    ['stale', now - 301, false],
    ['absent', undefined, false],
    ['not a number', NaN, false],
    ['milliseconds instead of seconds', clock.now(), false],
    ['far in the future', now + 3_600, false],
    ['infinite', Infinity, false],
  ])('judges %s', (_what, authTime, met) => {
    expect(verify(authTime)).toBe(met);
  });
});

describe('an outcome that an operator resolved', () => {
  const outcomeOf = async (throwing: () => never): Promise<[Outcome, Outcome]> => {
    const { ask, approve, run, desk, approvals, runner } = await startDesk();
    const id = await ask('desk.wipe', { id: 1 }, { idempotencyKey: 'k' });
    await approve(BOB, id);
    desk.act = throwing;
    await run(id);
    await approvals.resolve(full(BOB), id, 'succeeded', 'seen in the ledger');
    return [
      await runner.approvalOutcome(id, { principal: ALICE }),
      await runner.execute('desk.wipe', { id: 1 }, { principal: ALICE, idempotencyKey: 'k' }),
    ];
  };

  it('answers the same by its approval and by its key', async () => {
    const [byApproval, byKey] = await outcomeOf(() => {
      throw new Error('lost');
    });
    expect(failure(byApproval).message).toBe(failure(byKey).message);
    expect(failure(byApproval).message).toContain('An operator found');
  });
});

describe('races', () => {
  it('of execute, cancel and expiry have one winner', async () => {
    const clock = new ShiftedClock();
    const { ask, approve, run, approvals, desk } = await startDesk({
      clock: { useValue: clock },
      store: { useValue: new MemoryCapabilityStore({ clock }) },
    });
    const id = await ask('desk.wipe', { id: 1 });
    await approve(BOB, id);
    const [ran, cancelled] = await Promise.allSettled([run(id), approvals.cancel(full(ALICE), id)]);
    const won = ran.status === 'fulfilled' && ran.value.status === 'completed';
    expect(won).toBe(cancelled.status === 'rejected');
    expect(desk.effects).toHaveLength(won ? 1 : 0);
    const late = await ask('desk.wipe', { id: 2 });
    await approve(BOB, late);
    clock.advance(5 * 60_000);
    expect(failure(await run(late)).reason).toBe('EXPIRED');
  });

  it('of a denial and the quorum-th approval have one winner', async () => {
    const { ask, approvals, run, desk } = await startDesk();
    const id = await ask('desk.wipe', { id: 1 });
    const votes = await Promise.allSettled([
      approvals.decide(full(BOB), id, { decision: 'approve' }),
      approvals.decide(full(DAVE), id, { decision: 'reject' }),
    ]);
    expect(votes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const outcome = await run(id);
    expect(desk.effects).toHaveLength(outcome.status === 'completed' ? 1 : 0);
  });

  it('by the principal: another credential of the same human, and nobody else', async () => {
    const { ask, approve, desk } = await startDesk();
    const id = await ask('desk.drop', { id: 1 }, { surface: 'mcp' });
    await expect(approve(ALICE, id)).rejects.toMatchObject({ reason: 'SAME_CREDENTIAL' });
    await expect(approve(BOB, id)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(approve({ ...CONSOLE, kind: 'agent', human: 'alice' }, id)).rejects.toMatchObject({
      reason: 'SAME_CREDENTIAL',
    });
    await expect(approve({ ...CONSOLE, tenant: 'other' }, id)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect((await approve(CONSOLE, id)).state).toBe('approved');
    expect(desk.effects).toEqual([]);
  });
});
