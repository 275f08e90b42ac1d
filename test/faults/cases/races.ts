import { strict as assert } from 'node:assert';
import type { BatteryCase } from '../../battery/battery-case.js';
import { allCodes, answered, audited, effects, soundAudit } from '../../battery/cases/expect.js';

/** Races over two processes, `rounds` times each. */
export function raceCases(rounds: number): readonly BatteryCase[] {
  return [
    {
      id: 'race-approval',
      title: '200 racers over two processes on one approved record: one effect, 199 typed refusals',
      stores: ['postgres'],
      async run(t) {
        await t.twoInstances();
        for (let round = 1; round <= rounds; round++) {
          const id = await t.ask();
          answered(await t.dec('bob', id, 'approve'), 200);
          // The first racers pile up behind a lock, so that they find out together.
          await t.store.holdRowLock(id, 700);
          const race = await t.par(200, () => t.res('alice', id));
          assert.equal(race.ok, 1);
          allCodes(race.codes, 'CONSUMED', 199);
          await effects(t, 'refund.issue', round);
          await audited(t, { approval: id, type: 'started' }, 1);
          await audited(t, { approval: id, type: 'denied', cause: 'CONSUMED' }, 199);
        }
        await soundAudit(t);
      },
    },
    {
      id: 'race-key',
      title:
        '200 racers over two processes on one idempotency key: one effect, the others replay or are refused',
      stores: ['postgres'],
      async run(t) {
        await t.twoInstances();
        for (let round = 1; round <= rounds; round++) {
          const headers = { 'idempotency-key': `race-${round}` };
          const answers = await Promise.all(
            Array.from({ length: 200 }, () => t.call('alice', 'note.add', { text: 'r' }, { headers })),
          );
          const ran = answers.filter(({ ok, replayed }) => ok && !replayed);
          assert.equal(ran.length, 1);
          for (const answer of answers.filter(({ replayed }) => replayed))
            assert.equal(answer.text, ran[0]!.text);
          for (const answer of answers.filter(({ ok }) => !ok)) answered(answer, 409, 'IN_PROGRESS');
          await effects(t, 'note.add', round);
          await audited(t, { capability: 'note.add', type: 'started' }, round);
        }
        await soundAudit(t);
      },
    },
    {
      id: 'race-ask',
      title: '100 identical requests over two processes are one pending approval',
      stores: ['postgres'],
      async run(t) {
        await t.twoInstances();
        const ids = await Promise.all(Array.from({ length: 100 }, () => t.ask()));
        assert.equal(new Set(ids).size, 1);
        await effects(t, 'refund.issue', 0);
        await soundAudit(t);
      },
    },
    {
      id: 'race-audit',
      title: '50 audit writers over two processes: no fork, no lost row',
      stores: ['postgres'],
      async run(t) {
        await t.twoInstances();
        for (let round = 1; round <= rounds; round++) {
          const race = await t.par(50, (i) => t.inv('alice', 'note.add', { text: `${i}` }));
          assert.deepEqual(race, { ok: 50, codes: [] });
          for (const type of ['requested', 'started', 'completed'])
            await audited(t, { capability: 'note.add', type }, round * 50);
        }
        await soundAudit(t);
        const rows = await t.store.sql('select tenant, seq from audit order by tenant, seq');
        assert.equal(rows.length, (await t.aud()).length);
      },
    },
  ];
}
