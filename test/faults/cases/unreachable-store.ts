import { strict as assert } from 'node:assert';
import type { Driver } from '../../battery/battery-case.js';
import type { Answer } from '../../battery/driver/answer.js';
import { answered, audited, effects, soundAudit } from '../../battery/cases/expect.js';
import type { OwnPostgres } from '../own-postgres.js';

const REFUND = { orderId: 'o', amount: 5, currency: 'USD', notify: false };

/** One way in which the store cannot be reached. */
export interface Outage {
  readonly id: string;
  readonly title: string;
  begin(t: Driver, server: OwnPostgres): Promise<void> | void;
  end(t: Driver, server: OwnPostgres): Promise<void> | void;
}

export const OUTAGES: readonly Outage[] = [
  {
    id: 'store-down',
    title: 'the server is gone',
    begin: (_, server) => server.down(),
    end: (_, server) => server.up(),
  },
  {
    id: 'store-frozen',
    title: 'the server does not answer',
    begin: (_, server) => server.freeze(),
    end: (_, server) => server.thaw(),
  },
  {
    id: 'pool-exhausted',
    title: 'no connection becomes free',
    begin: (t) => t.fail('pool'),
    end: (t) => t.heal('pool'),
  },
];

/** Everything that needs the store is refused in time, nothing runs, nobody is told "there are none", and it recovers alone. */
export async function outage(t: Driver, server: OwnPostgres, how: Outage, limitMs: number): Promise<void> {
  const id = await t.ask();
  answered(await t.dec('bob', id, 'approve'), 200);
  const waiting = await t.ask({ orderId: 'o2' });
  await how.begin(t, server);
  try {
    const calls: readonly (() => Promise<Answer>)[] = [
      () => t.call('alice', 'refund.issue', REFUND),
      () => t.call('alice', 'refund.issue', { ...REFUND, amount: 500 }),
      () => t.call('alice', 'note.add', { text: 'x' }, { headers: { 'idempotency-key': 'down' } }),
      () => t.res('alice', id),
      () => t.dec('bob', waiting, 'approve'),
      () => t.approval('alice', id),
      () => t.http('GET', '/approvals', { who: 'bob' }),
    ];
    for (const call of calls) {
      const started = performance.now();
      const answer = await call();
      const took = performance.now() - started;
      answered(answer, 503, 'UNAVAILABLE');
      assert.ok(Number.isInteger(answer.retryAfter), answer.text);
      assert.ok(took < limitMs, `answered after ${Math.round(took)} ms`);
    }
    answered(await t.call('alice', 'orders.get', { id: '1' }), 200);
    await effects(t, 'refund.issue', 0);
    await effects(t, 'note.add', 0);
  } finally {
    await how.end(t, server);
  }
  await recovered(t);
  assert.equal(await t.state(id), 'approved');
  assert.equal(await t.state(waiting), 'pending');
  answered(await t.res('alice', id), 200);
  await effects(t, 'refund.issue', 1);
  await audited(t, { approval: id, type: 'started' }, 1);
  await soundAudit(t);
}

/** The store is back without anybody's help, within a few seconds. */
async function recovered(t: Driver): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    if ((await t.http('GET', '/approvals', { who: 'bob' })).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('The application did not find its store again.');
}
