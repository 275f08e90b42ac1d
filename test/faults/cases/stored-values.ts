import { strict as assert } from 'node:assert';
import type { BatteryCase, Driver } from '../../battery/battery-case.js';
import { answered, audited, effects } from '../../battery/cases/expect.js';

/** What is approved in one process is exactly what another one runs. */
export const STORED_VALUES: readonly BatteryCase[] = [
  {
    id: 'value-transformed',
    title: 'a transform, a random default, a date and a bigint run as they were approved',
    stores: ['postgres', 'pglite'],
    async run(t) {
      const serial = '90071992547409931234';
      const { id, shown } = await approved(t, 'value.pay', { amount: 12.34, serial });
      assert.deepEqual([shown['amount'], shown['serial']], [1234, serial]);
      await t.restart();
      await t.clock.advance(60_000);
      answered(await t.res('alice', id), 200);
      assert.deepEqual(await t.last('value.pay'), {
        amount: 1234,
        reference: shown['reference'],
        at: { date: shown['at'] },
        serial: { bigint: serial },
      });
      await effects(t, 'value.pay', 1);
      await audited(t, { approval: id, type: 'started' }, 1);
    },
  },
  {
    id: 'value-dto',
    title: 'a class DTO comes back as its classes',
    stores: ['postgres', 'pglite'],
    async run(t) {
      const due = '2026-03-04T05:06:07.000Z';
      const parcel = { to: 'Rua A', due, line: { sku: 'X1', count: 2 } };
      const { id, shown } = await approved(t, 'value.send', parcel);
      assert.deepEqual(shown, { ...parcel, insured: true });
      await t.restart();
      const ran = await t.res('alice', id);
      answered(ran, 200);
      assert.equal(ran.body, 'Rua A: 2 x X1');
      const line = { class: 'LineDto', sku: 'X1', count: 2 };
      assert.deepEqual(await t.last('value.send'), {
        input: { class: 'ParcelDto', to: 'Rua A', insured: true, due: { date: due }, line },
        label: 'Rua A: 2 x X1',
      });
      await effects(t, 'value.send', 1);
      await audited(t, { approval: id, type: 'started' }, 1);
    },
  },
];

/** Asks and approves; the arguments that the approver was shown. */
async function approved(
  t: Driver,
  capability: string,
  args: unknown,
): Promise<{ id: string; shown: Record<string, unknown> }> {
  const { approvalId, text } = await t.call('alice', capability, args);
  assert.ok(approvalId, text);
  const decided = await t.dec('bob', approvalId, 'approve');
  answered(decided, 200);
  const { action } = decided.body as { action: { arguments: Record<string, unknown> } };
  return { id: approvalId, shown: action.arguments };
}
