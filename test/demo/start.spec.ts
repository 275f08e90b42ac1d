import { execFileSync } from 'node:child_process';
import { ADAPTERS } from '../../src/http-app.js';
import { DemoProcess } from './demo-process.js';

describe('starting the demo', () => {
  it.each(ADAPTERS)(
    'listens on %s, and its printed command works',
    async (adapter) => {
      const demo = await DemoProcess.start(adapter);
      try {
        const command = demo.printed.slice(demo.printed.indexOf('curl')).trim();
        const reply = execFileSync('bash', ['-c', command], { encoding: 'utf8' });
        expect(JSON.parse(reply)).toMatchObject({ id: 'ord_1001', status: 'open' });
        const page = await fetch(`${demo.url}/docs`);
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('swagger-ui')]);
      } finally {
        await demo.stop();
      }
    },
    30_000,
  );

  it('refuses demo identities in production', async () => {
    const demo = await DemoProcess.start('express', { NODE_ENV: 'production' });
    await demo.stop();
    expect([demo.exitCode === 0, demo.printed]).toEqual([
      false,
      expect.stringContaining('NODE_ENV=production'),
    ]);
  }, 30_000);

  it('refuses an adapter that does not exist', async () => {
    const demo = await DemoProcess.start('hapi');
    await demo.stop();
    expect(demo.printed).toContain('--adapter must be one of express, fastify.');
  }, 30_000);
});
