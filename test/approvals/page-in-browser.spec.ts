import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
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
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    try {
      const url = addressOf(desk);
      await context.addCookies([{ name: 'session', value: 'bob', url }]);
      const good = await desk.ask();
      await page.goto(`${url}/approvals/${good}/page`);
      expect(await page.locator('h1').innerText()).toBe('Issue a refund');
      expect(await page.locator('button:focus').count()).toBe(0);
      // The style sheet applies: the policy names its hash.
      expect((await page.locator('main').boundingBox())!.width).toBeLessThan(800);
      await page.locator('button.approve').click();
      await page.waitForURL(`${url}/approvals/${good}/page`);
      expect(await page.locator('main').innerText()).toContain('Approved by bob at');
      expect((await desk.execute('alice', good)).status).toBe(200);

      const bad = await desk.ask({ orderId: 'o2' });
      await page.goto(`${url}/approvals/${bad}/page`);
      await page.locator('textarea').fill('Not this one');
      await page.locator('button.deny').click();
      expect(await page.locator('main').innerText()).toContain('Reason: Not this one');
      expect((await desk.execute('alice', bad)).text).toContain('Not this one');
      expect(complaints).toEqual([]);
    } finally {
      await page.close();
      // A browser keeps connections that never carried a request.
      (desk.app.getHttpServer() as Server).closeAllConnections();
      await desk.close();
    }
  });
});
