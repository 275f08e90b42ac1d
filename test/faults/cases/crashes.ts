import { strict as assert } from 'node:assert';
import type { BatteryCase, Driver } from '../../battery/battery-case.js';
import type { Answer } from '../../battery/driver/answer.js';
import { CRASH_POINTS, type CrashPoint } from '../../battery/fixture/config.js';
import { answered, audited, effects, soundAudit } from '../../battery/cases/expect.js';

/** Longer than the lease of a claim: the capability's 30 s and its margin. */
const AFTER_THE_LEASE = 36_000;

/** At these points nothing was claimed: the call may simply come again. */
const NOTHING_TAKEN: ReadonlySet<CrashPoint> = new Set(['before-take', 'in-transaction']);

/** `kill -9` at every point, `times` each, of a call that executes an approval or holds an idempotency key. */
export function crashCases(times: number): readonly BatteryCase[] {
  return CRASH_POINTS.flatMap((point) => [
    {
      id: `crash-approval-${point}`,
      title: `an approved call that dies ${point} has at most one effect, and its state tells the truth (SI-26)`,
      stores: ['postgres'] as const,
      run: (t: Driver) => repeat(t, times, (round) => crashApproved(t, point, round)),
    },
    {
      id: `crash-key-${point}`,
      title: `a keyed call that dies ${point} has at most one effect, and its key tells the truth`,
      stores: ['postgres'] as const,
      run: (t: Driver) => repeat(t, times, (round) => crashKeyed(t, point, round)),
    },
  ]);
}

async function repeat(t: Driver, times: number, act: (round: number) => Promise<void>): Promise<void> {
  for (let round = 1; round <= times; round++) await act(round);
  await soundAudit(t);
}

async function crashApproved(t: Driver, point: CrashPoint, round: number): Promise<void> {
  const id = await t.ask({ orderId: `o${round}` });
  answered(await t.dec('bob', id, 'approve'), 200);
  const before = await t.eff('refund.issue');
  await crash(t, point, 'refund.issue', () => t.res('alice', id));

  if (NOTHING_TAKEN.has(point)) {
    assert.equal(await t.state(id), 'approved');
    await effects(t, 'refund.issue', before);
    answered(await t.res('alice', id), 200);
    assert.equal(await t.state(id), 'succeeded');
    await effects(t, 'refund.issue', before + 1);
    await audited(t, { approval: id, type: 'started' }, 1);
    return;
  }
  const happened = point === 'after-effect' ? 1 : 0;
  assert.equal(await t.state(id), 'claimed');
  answered(await t.res('alice', id), 409, 'CONSUMED');
  await t.clock.advance(AFTER_THE_LEASE);
  assert.equal(await t.state(id), 'unknown');
  answered(await t.res('alice', id), 409, 'CONSUMED');
  answered(await t.http('GET', `/approvals/${id}/outcome`, { who: 'alice' }), 409, 'OUTCOME_UNKNOWN');
  await effects(t, 'refund.issue', before + happened);
  await resolved(t, id, happened === 1 ? 'succeeded' : 'failed');
  await effects(t, 'refund.issue', before + happened);
}

/** Only an operator says what became of it; then it is said for good. */
async function resolved(t: Driver, id: string, outcome: 'succeeded' | 'failed'): Promise<void> {
  const body = JSON.stringify({ outcome, reason: 'Looked it up.' });
  const path = `/approvals/${id}/resolution`;
  answered(await t.http('POST', path, { who: 'bob', body }), 403, 'FORBIDDEN');
  answered(await t.http('POST', path, { who: 'operator', body }), 200);
  assert.equal(await t.state(id), outcome);
  answered(await t.res('alice', id), 409, 'CONSUMED');
  await audited(t, { approval: id, type: 'started' }, 1);
  await audited(t, { approval: id, type: 'failed', reason: 'OUTCOME_UNKNOWN' }, 1);
  await audited(t, { approval: id, type: 'resolved', outcome }, 1);
}

async function crashKeyed(t: Driver, point: CrashPoint, round: number): Promise<void> {
  const headers = { 'idempotency-key': `crash-${round}` };
  const call = (): Promise<Answer> => t.call('alice', 'note.add', { text: 'c' }, { headers });
  const before = await t.eff('note.add');
  await crash(t, point, 'note.add', call);

  if (NOTHING_TAKEN.has(point)) {
    await effects(t, 'note.add', before);
    const first = await call();
    answered(first, 200);
    assert.equal((await call()).text, first.text);
    await effects(t, 'note.add', before + 1);
    return;
  }
  answered(await call(), 409, 'IN_PROGRESS');
  await t.clock.advance(AFTER_THE_LEASE);
  answered(await call(), 409, 'OUTCOME_UNKNOWN');
  await effects(t, 'note.add', before + (point === 'after-effect' ? 1 : 0));
}

/** The call's process dies on the way; another one takes its place on the same store. */
async function crash(
  t: Driver,
  point: CrashPoint,
  capability: string,
  call: () => Promise<unknown>,
): Promise<void> {
  const victim = t.session.first;
  await t.crashAt(point, capability);
  await assert.rejects(call, 'the connection broke');
  await victim.exited;
  assert.equal(victim.alive, false);
  await t.session.replaceDead();
}
