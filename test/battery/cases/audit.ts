import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BatteryCase } from '../battery-case.js';
import { answered, audited, effects, soundAudit } from './expect.js';

export const AUDIT: readonly BatteryCase[] = [
  {
    id: 'B24',
    title: 'an edited audit row is found, and the application cannot edit one (SI-27)',
    stores: ['postgres', 'pglite'],
    async run(t) {
      for (const text of ['1', '2', '3']) answered(await t.call('alice', 'note.add', { text }), 200);
      await soundAudit(t);
      if (t.storeName === 'postgres') {
        for (const statement of [
          "update capability_audit set outcome = 'success'",
          'delete from capability_audit',
          'truncate capability_audit',
        ]) {
          await assert.rejects(t.store.sql(statement, 'app'), /permission denied/);
        }
        await soundAudit(t);
      }
      await t.store.sql("update audit set outcome = 'success' where seq = 3");
      const report = await t.verify();
      assert.deepEqual([report.ok, report.seq], [false, 3], JSON.stringify(report));
      await effects(t, 'note.add', 3);
    },
  },
  {
    id: 'B25',
    title: 'fifty audit writers make one chain',
    async run(t) {
      if (t.storeName === 'postgres') await t.twoInstances();
      const race = await t.par(50, (i) => t.inv('alice', 'note.add', { text: `${i}` }));
      assert.deepEqual(race, { ok: 50, codes: [] });
      await soundAudit(t);
      await effects(t, 'note.add', 50);
      for (const type of ['requested', 'started', 'completed'])
        await audited(t, { capability: 'note.add', type, tenant: 't1' }, 50);
    },
  },
  {
    id: 'B26',
    title: 'secrets stay out of replies, logs and audit',
    async run(t) {
      const boom = await t.call('alice', 'boom', {});
      answered(boom, 500, 'INTERNAL');
      const refused = await t.call('alice', 'note.add', { text: 'ok', password: 'S3CRET' });
      answered(refused, 400, 'INPUT_INVALID');
      for (const answer of [boom, refused]) {
        assert.doesNotMatch(answer.text + JSON.stringify(answer.headers), /S3CRET|pg:\/\//);
      }
      assert.doesNotMatch(JSON.stringify(await t.aud({})), /S3CRET/);
      assert.doesNotMatch(fileText(t.session.config.folder), /S3CRET/);
      await effects(t, 'note.add', 0);
      await audited(t, { capability: 'boom', type: 'failed' }, 1);
      await audited(t, { capability: 'note.add', type: 'denied', cause: 'INPUT_INVALID' }, 1);
    },
  },
];

/** Every log and the audit file; a masked fault must have been logged by its capability's name. */
function fileText(folder: string): string {
  const logs = readdirSync(join(folder, 'logs')).map((name) =>
    readFileSync(join(folder, 'logs', name), 'utf8'),
  );
  assert.match(logs.join(''), /"boom"/);
  return [...logs, readFileSync(join(folder, 'audit.jsonl'), 'utf8')].join('\n');
}
