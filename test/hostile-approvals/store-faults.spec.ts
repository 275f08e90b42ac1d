import { setTimeout as pause } from 'node:timers/promises';
import { AuditSink, CapabilityError, CapabilityStore, type AuditEvent } from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { ShiftedClock } from 'nest-capabilities/testing';
import { closeApps } from '../nest/support.js';
import { ALICE, BOB, type DeskApp, failure, full, startDesk } from './desk.js';

afterEach(closeApps);

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));
afterEach(async () => {
  await pause(5);
  expect(unhandled).toEqual([]);
});

type Call = 'take' | 'complete' | 'release' | 'create' | 'get' | 'vote' | 'look' | 'append' | 'void';

/** A store whose named calls fail, before or after they did their work. */
function faulty(clock = new ShiftedClock()) {
  const store = new MemoryCapabilityStore({ clock });
  const broken = new Map<Call, 'before' | 'after'>();
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(inner, name) {
        const value: unknown = Reflect.get(inner, name, inner);
        if (name === 'approvals' || name === 'idempotency' || name === 'audit') return wrap(value as object);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const when = broken.get(name as Call);
          if (when === 'before') throw new CapabilityError('UNAVAILABLE');
          const result: unknown = await Reflect.apply(value, inner, args);
          if (when === 'after') throw new CapabilityError('UNAVAILABLE');
          return result;
        };
      },
    });
  return { store: wrap<CapabilityStore>(store), inner: store, broken, clock };
}

const started = async (): Promise<ReturnType<typeof faulty> & DeskApp> => {
  const parts = faulty();
  const app = await startDesk({ store: { useValue: parts.store }, clock: { useValue: parts.clock } });
  return { ...parts, ...app };
};

describe.each(['before', 'after'] as const)('a store that fails %s', (when) => {
  it('the take runs nothing, and never runs it twice', async () => {
    const { ask, approve, run, broken, desk, clock, inner } = await started();
    const id = await ask('desk.wipe', { id: 1 });
    await approve(BOB, id);
    broken.set('take', when);
    expect(failure(await run(id)).status).toBe(503);
    expect(desk.effects).toEqual([]);
    broken.clear();
    const again = await run(id);
    expect(again.status).toBe(when === 'before' ? 'completed' : 'failed');
    expect(desk.effects).toHaveLength(when === 'before' ? 1 : 0);
    clock.advance(60_000);
    const record = await inner.approvals.get('default', id);
    expect(record?.state).toBe(when === 'before' ? 'succeeded' : 'unknown');
    expect(failure(await run(id)).reason).toBe('CONSUMED');
  });

  it('the take of a key runs nothing, and the key never runs twice', async () => {
    const { runner, broken, desk, clock } = await started();
    const call = () => runner.execute('desk.write', { id: 1 }, { principal: ALICE, idempotencyKey: 'k' });
    broken.set('take', when);
    expect(failure(await call()).status).toBe(503);
    expect(desk.effects).toEqual([]);
    broken.clear();
    clock.advance(60_000);
    const again = await call();
    expect(again.status === 'failed' ? again.error.reason : again.status).toBe(
      when === 'before' ? 'completed' : 'OUTCOME_UNKNOWN',
    );
  });

  it('the completion tells the caller what happened, and does it once', async () => {
    const { ask, approve, run, broken, desk, clock, inner } = await started();
    const id = await ask('desk.wipe', { id: 1 });
    await approve(BOB, id);
    broken.set('complete', when);
    expect(await run(id)).toMatchObject({ status: 'completed', output: 1 });
    broken.clear();
    clock.advance(60_000);
    expect(failure(await run(id)).reason).toBe('CONSUMED');
    expect(desk.effects).toHaveLength(1);
    const record = await inner.approvals.get('default', id);
    expect(record?.state).toBe(when === 'before' ? 'unknown' : 'succeeded');
  });

  it('the creation suspends nothing that runs, and is found again', async () => {
    const { ask, runner, broken, desk } = await started();
    broken.set('create', when);
    const outcome = await runner.execute('desk.wipe', { id: 1 }, { principal: ALICE, surface: 'rest' });
    expect(failure(outcome).status).toBe(503);
    broken.clear();
    await ask('desk.wipe', { id: 1 });
    expect(desk.effects).toEqual([]);
  });

  it.each(['get', 'vote'] as const)('%s decides nothing that it does not tell', async (call) => {
    const { ask, approvals, broken, inner } = await started();
    const id = await ask('desk.wipe', { id: 1 });
    broken.set(call, when);
    const deciding = approvals.decide(full(BOB), id, { decision: 'approve' });
    await expect(deciding).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    broken.clear();
    const record = await inner.approvals.get('default', id);
    expect(record?.state).toBe(call === 'vote' && when === 'after' ? 'approved' : 'pending');
  });

  it('the look-up of a key runs nothing', async () => {
    const { runner, broken, desk } = await started();
    broken.set('look', when);
    const outcome = await runner.execute('desk.write', { id: 1 }, { principal: ALICE, idempotencyKey: 'k' });
    expect(failure(outcome).status).toBe(503);
    expect(desk.effects).toEqual([]);
  });

  it('to append refuses writes, and lets nothing run', async () => {
    const { runner, broken, desk } = await started();
    broken.set('append', when);
    const outcome = await runner.execute('desk.write', { id: 1 }, { principal: ALICE });
    expect(failure(outcome).status).toBe(503);
    expect(desk.effects).toEqual([]);
  });
});

class Fussy extends AuditSink {
  refuse = true;
  hang = false;
  readonly events: AuditEvent[] = [];
  write(event: AuditEvent): void | Promise<void> {
    if (this.hang && event.type === 'started') return new Promise(() => undefined);
    if (this.refuse && event.type === 'started') throw new Error('disk full');
    this.events.push(event);
  }
}

describe('a sink outside the store that refuses `started`', () => {
  const withSink = async (sink: Fussy) => {
    const parts = faulty();
    const app = await startDesk({
      store: { useValue: parts.store },
      clock: { useValue: parts.clock },
      sinks: [{ useValue: sink }],
    });
    return { ...parts, ...app };
  };

  it('gives the approval back: nothing ran, and it runs once when the sink recovers', async () => {
    const sink = new Fussy();
    const { ask, approve, run, desk, inner } = await withSink(sink);
    const id = await ask('desk.wipe', { id: 1 }, { idempotencyKey: 'k' });
    await approve(BOB, id);
    expect(failure(await run(id)).status).toBe(503);
    expect((await inner.approvals.get('default', id))?.state).toBe('approved');
    sink.refuse = false;
    expect((await run(id)).status).toBe('completed');
    expect(desk.effects).toHaveLength(1);
    const types = (await inner.audit.page({ tenant: 'default', limit: 100, approvalId: id })).entries;
    expect(types.map(({ event }) => event.type)).toEqual([
      'suspended',
      'decided',
      'requested',
      'started',
      'denied',
      'requested',
      'started',
      'completed',
    ]);
  });

  it('frees a key, and a release that fails leaves it closed', async () => {
    const sink = new Fussy();
    const { runner, desk, broken, clock } = await withSink(sink);
    const call = () => runner.execute('desk.write', { id: 1 }, { principal: ALICE, idempotencyKey: 'k' });
    expect(failure(await call()).status).toBe(503);
    broken.set('release', 'before');
    expect(failure(await call()).status).toBe(503);
    sink.refuse = false;
    broken.clear();
    expect(failure(await call()).reason).toBe('IN_PROGRESS');
    clock.advance(60_000);
    expect(failure(await call()).reason).toBe('OUTCOME_UNKNOWN');
    expect(desk.effects).toEqual([]);
  });
});

describe('a handler that outlives its lease', () => {
  it('leaves the record unknown, whatever it comes to', async () => {
    const { ask, approve, run, desk, inner, clock, approvals } = await started();
    const id = await ask('desk.wipe', { id: 1 }, { idempotencyKey: 'k' });
    await approve(BOB, id);
    let finish: (output: number) => void = () => undefined;
    desk.act = () => new Promise<number>((resolve) => (finish = resolve));
    const running = run(id);
    await pause(20);
    expect(desk.effects).toHaveLength(1);
    expect((await inner.approvals.get('default', id))?.state).toBe('claimed');
    clock.advance(60_000);
    expect((await inner.approvals.get('default', id))?.state).toBe('unknown');
    await approvals.resolve(full(BOB), id, 'failed', 'looked');
    finish(7);
    expect(await running).toMatchObject({ status: 'completed', output: 7 });
    expect((await inner.approvals.get('default', id))?.state).toBe('failed');
    expect(failure(await run(id)).reason).toBe('CONSUMED');
    expect(desk.effects).toHaveLength(1);
  });
});
