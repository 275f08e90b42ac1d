import { strict as assert } from 'node:assert';
import type { BatteryCase, Driver } from '../battery-case.js';
import type { Answer } from '../driver/answer.js';
import { answered, audited, effects, soundAudit } from './expect.js';

const keyed = (t: Driver, who: string, text: string, key: string): Promise<Answer> =>
  t.call(who, 'note.add', { text }, { headers: { 'idempotency-key': key } });

export const IDEMPOTENCY: readonly BatteryCase[] = [
  {
    id: 'B01',
    title: 'a replay is byte-identical',
    async run(t) {
      const first = await keyed(t, 'alice', 'a', '"k1"');
      const second = await keyed(t, 'alice', 'a', '"k1"');
      const bare = await keyed(t, 'alice', 'a', 'k1');
      answered(first, 200);
      assert.deepEqual([second.status, second.text], [200, first.text]);
      assert.equal(bare.text, first.text);
      assert.deepEqual([first.replayed, second.replayed, bare.replayed], [false, true, true]);
      await effects(t, 'note.add', 1);
      await audited(t, { capability: 'note.add', type: 'started' }, 1);
      await audited(t, { capability: 'note.add', type: 'completed', replayed: true }, 2);
    },
  },
  {
    id: 'B02',
    title: 'the same key with another payload is refused',
    async run(t) {
      answered(await keyed(t, 'alice', 'a', '"k1"'), 200);
      answered(await keyed(t, 'alice', 'b', '"k1"'), 422, 'KEY_REUSED');
      await effects(t, 'note.add', 1);
      await audited(t, { capability: 'note.add', type: 'denied', cause: 'KEY_REUSED' }, 1);
    },
  },
  {
    id: 'B03',
    title: 'fifty parallel callers with one key run once',
    async run(t) {
      if (t.storeName === 'postgres') await t.twoInstances();
      const answers = await Promise.all(Array.from({ length: 50 }, () => keyed(t, 'alice', 'c', '"k3"')));
      const ran = answers.filter(({ ok, replayed }) => ok && !replayed);
      assert.equal(ran.length, 1);
      for (const answer of answers.filter(({ replayed }) => replayed))
        assert.equal(answer.text, ran[0]!.text);
      for (const answer of answers.filter(({ ok }) => !ok)) answered(answer, 409, 'IN_PROGRESS');
      await effects(t, 'note.add', 1);
      await audited(t, { capability: 'note.add', type: 'started' }, 1);
      await soundAudit(t);
    },
  },
  {
    id: 'B04',
    title: 'keys are scoped to the caller',
    async run(t) {
      const alice = await keyed(t, 'alice', 's', '"k4"');
      const dave = await keyed(t, 'dave', 's', '"k4"');
      answered(alice, 200);
      answered(dave, 200);
      assert.deepEqual([dave.replayed, (dave.body as { by: string }).by], [false, 'dave']);
      assert.notEqual(dave.text, alice.text);
      const carol = await keyed(t, 'carol', 's', '"k4"');
      assert.deepEqual([carol.status, carol.replayed], [200, false]);
      const refund = { orderId: 'o', amount: 5, currency: 'USD', notify: false };
      const other = await t.call('alice', 'refund.issue', refund, { headers: { 'idempotency-key': '"k4"' } });
      assert.deepEqual([other.status, other.replayed], [200, false]);
      await effects(t, 'note.add', 3);
      await effects(t, 'refund.issue', 1);
      await audited(t, { capability: 'note.add', type: 'started' }, 3);
    },
  },
  {
    id: 'B05',
    title: 'malformed keys are refused before the store is touched',
    async run(t) {
      for (const key of ['""', '"a b"', `"${'x'.repeat(256)}"`, '"a\tb"']) {
        const answer = await keyed(t, 'alice', 'z', key);
        answered(answer, 400, 'INPUT_INVALID');
        assert.equal((answer.body as { error: { field: string } }).error.field, 'Idempotency-Key');
      }
      await effects(t, 'note.add', 0);
      await audited(t, { capability: 'note.add', type: 'started' }, 0);
      await audited(t, { capability: 'note.add', type: 'denied', cause: 'INPUT_INVALID' }, 4);
      if (t.storeName !== 'memory') assert.deepEqual(await t.store.sql('select * from idempotency_keys'), []);
    },
  },
];
