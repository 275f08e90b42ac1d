import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { chromium as browserType, type BrowserContext } from 'playwright-core';
import { ADAPTERS } from '../rest/rest-app.js';
import { chromium, suiteWith } from '../support/services.js';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.js';

jest.setTimeout(90_000);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];

suiteWith(chromium(), 'the decision page in a browser without JavaScript', (executablePath) => {
  let context: BrowserContext;
  let profile: string;

  beforeAll(async () => {
    profile = mkdtempSync(join(tmpdir(), 'decision-page-'));
    const options = { executablePath, headless: true, args: FLAGS, javaScriptEnabled: false };
    context = await browserType.launchPersistentContext(profile, options);
  });
  afterAll(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });

  const addressOf = ({ app }: ApprovalsApp): string => {
    const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
    return `http://127.0.0.1:${port}`;
  };

  it.each(ADAPTERS)('approves one request and denies another on %s', async (adapter) => {
    const desk = await startApprovalsApp(adapter);
process.stderr.write('step 1\n');
    const page = await context.newPage();
process.stderr.write('step 2\n');
    const complaints: string[] = [];
process.stderr.write('step 3\n');
    page.on('console', (message) => complaints.push(message.text()));
process.stderr.write('step 4\n');
    try {
      const url = addressOf(desk);
process.stderr.write('step 5\n');
      await context.addCookies([{ name: 'session', value: 'bob', url }]);
process.stderr.write('step 6\n');
      const good = await desk.ask();
process.stderr.write('step 7\n');
      await page.goto(`${url}/approvals/${good}/page`);
process.stderr.write('step 8\n');
      expect(await page.locator('h1').innerText()).toBe('Issue a refund');
process.stderr.write('step 9\n');
      expect(await page.locator('button:focus').count()).toBe(0);
process.stderr.write('step 10\n');
      // The style sheet applies: the policy names its hash.
      expect((await page.locator('main').boundingBox())!.width).toBeLessThan(800);
process.stderr.write('step 11\n');
      await page.locator('button.approve').click();
process.stderr.write('step 12\n');
      await page.waitForURL(`${url}/approvals/${good}/page`);
process.stderr.write('step 13\n');
      expect(await page.locator('main').innerText()).toContain('Approved by bob at');
process.stderr.write('step 14\n');
      expect((await desk.execute('alice', good)).status).toBe(200);
process.stderr.write('step 15\n');

      const bad = await desk.ask({ orderId: 'o2' });
process.stderr.write('step 16\n');
      await page.goto(`${url}/approvals/${bad}/page`);
process.stderr.write('step 17\n');
      await page.locator('textarea').fill('Not this one');
process.stderr.write('step 18\n');
      await page.locator('button.deny').click();
process.stderr.write('step 19\n');
      expect(await page.locator('main').innerText()).toContain('Reason: Not this one');
process.stderr.write('step 20\n');
      expect((await desk.execute('alice', bad)).text).toContain('Not this one');
process.stderr.write('step 21\n');
      expect(complaints).toEqual([]);
process.stderr.write('step 22\n');
    } finally {
      await page.close();
process.stderr.write('step 23\n');
      await desk.close();
process.stderr.write('step 24\n');
    }
  });
});
