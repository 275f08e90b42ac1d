import { strict as assert } from 'node:assert';
import type { BatteryCase, Driver } from '../../battery/battery-case.js';
import { answered, audited, effects, soundAudit } from '../../battery/cases/expect.js';

const REFUND = { orderId: 'o', amount: 5, currency: 'USD', notify: false };

/** `started` is held by every sink before anything runs. */
export const AUDIT_DOWN: readonly BatteryCase[] = [
  {
    id: 'audit-down',
    title: 'with only the outside audit sink down, writes are refused, nothing stays claimed and reads go on',
    run: auditOutage,
  },
];

async function auditOutage(t: Driver): Promise<void> {
  const id = await t.ask();
  answered(await t.dec('bob', id, 'approve'), 200);
  const headers = { 'idempotency-key': 'audit' };
  await t.fail('audit');
  answered(await t.call('alice', 'refund.issue', REFUND), 503, 'UNAVAILABLE');
  answered(await t.call('alice', 'note.add', { text: 'x' }, { headers }), 503, 'UNAVAILABLE');
  answered(await t.res('alice', id), 503, 'UNAVAILABLE');
  answered(await t.call('alice', 'orders.get', { id: '1' }), 200);
  assert.equal(await t.state(id), 'approved');
  await effects(t, 'refund.issue', 0);
  await effects(t, 'note.add', 0);
  await t.heal('audit');
  answered(await t.res('alice', id), 200);
  answered(await t.call('alice', 'note.add', { text: 'x' }, { headers }), 200);
  await effects(t, 'refund.issue', 1);
  await effects(t, 'note.add', 1);
  await audited(t, { approval: id, type: 'completed' }, 1);
  await soundAudit(t);
}
