import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BatteryCase } from '../battery-case.js';
import { answered, audited, effects } from './expect.js';

const BODY_LIMIT = 262_144;

export const HOSTILE_INPUT: readonly BatteryCase[] = [
  {
    id: 'B28',
    title: 'deep nesting is refused and harms nobody',
    async run(t) {
      const raw = `{"orderId":${'['.repeat(49_000)}${']'.repeat(49_000)}}`;
      answered(await t.call('alice', 'refund.issue', undefined, { raw }), 400, 'INPUT_INVALID');
      answered(await t.call('alice', 'orders.get', { id: '1' }), 200);
      await effects(t, 'refund.issue', 0);
      await audited(t, { capability: 'refund.issue', type: 'denied', cause: 'INPUT_INVALID' }, 1);

      const start = performance.now();
      const overMcp = await t.mcpRaw('alice', { name: 'refund.issue', raw });
      assert.ok(performance.now() - start < 100, 'the refusal takes no time');
      answered(overMcp, 400, '-32700');
      answered(await t.mcpRaw('alice'), 200);
      await effects(t, 'refund.issue', 0);
    },
  },
  {
    id: 'B29',
    title: 'prototype keys are refused',
    async run(t) {
      for (const raw of [
        '{"__proto__":{"isAdmin":true},"orderId":"o","amount":5,"currency":"USD","notify":false}',
        '{"constructor":{"prototype":{"x":1}},"orderId":"o","amount":5,"currency":"USD","notify":false}',
      ]) {
        answered(await t.call('alice', 'refund.issue', undefined, { raw }), 400, 'INPUT_INVALID');
      }
      assert.equal((await t.http('GET', '/__test/polluted')).text, 'false');
      await effects(t, 'refund.issue', 0);
      await audited(t, { capability: 'refund.issue', type: 'denied', cause: 'INPUT_INVALID' }, 2);
    },
  },
  {
    id: 'B30',
    title: 'sizes are bounded alike on both adapters',
    async run(t) {
      const big = JSON.stringify({ text: 'x'.repeat(300_000) });
      answered(await t.call('alice', 'note.add', undefined, { raw: big }), 413, 'TOO_LARGE');
      const zipped = { raw: gzipSync(big), headers: { 'content-encoding': 'gzip' } };
      answered(await t.call('alice', 'note.add', undefined, zipped), 415, 'MEDIA_TYPE');
      const room = BODY_LIMIT - JSON.stringify({ text: '' }).length;
      const fits = await t.call('alice', 'note.add', { text: 'x'.repeat(room) });
      answered(fits, 200);
      answered(await t.call('alice', 'note.add', { text: 'x'.repeat(room + 1) }), 413, 'TOO_LARGE');
      await effects(t, 'note.add', 1);
      await audited(t, { capability: 'note.add', type: 'started' }, 1);
      await audited(t, { capability: 'note.add', type: 'denied', cause: 'TOO_LARGE' }, 2);
      assert.match((await t.boot({ bodyLimit: 'abc' })) ?? 'it booted', /bodyLimit/);
      assert.notEqual(await exitCode({ BODY_LIMIT: 'abc' }), 0);
    },
  },
];

/** How a process of the fixture ends that is started with this environment. */
function exitCode(environment: Readonly<Record<string, string>>): Promise<number | null> {
  const main = join(import.meta.dirname, '../fixture/run.mjs');
  const child = spawn(process.execPath, ['--no-warnings', main], {
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
  });
  return new Promise((resolve) => child.once('exit', resolve));
}
