import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { chromium as browserType, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { ADAPTERS } from '../../src/http-app.js';
import { chromium, suiteWith } from '../support/services.js';
import { ResponseValidator } from '../support/response-validator.js';
import { DemoProcess } from './demo-process.js';

jest.setTimeout(90_000);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

suiteWith(chromium(), 'Swagger UI in a browser', (executablePath) => {
  let context: BrowserContext;
  let profile: string;

  beforeAll(async () => {
    profile = mkdtempSync(join(tmpdir(), 'swagger-ui-'));
    context = await browserType.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      args: FLAGS,
    });
  });
  afterAll(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });

  async function authorise(page: Page, token: string): Promise<void> {
    await page.locator('.auth-wrapper .authorize').click();
    const dialog = page.locator('.dialog-ux');
    await dialog.locator('input[type="text"]').first().fill(token);
    await dialog.locator('button.authorize').first().click();
    await dialog.locator('button.btn-done').click();
  }

  async function execute(operation: Locator, body: string): Promise<string> {
    await operation.locator('textarea.body-param__text').fill(body);
    await operation.locator('button.execute').click();
    return (await operation.locator('.live-responses-table .response-col_status').last().innerText()).trim();
  }

  it.each(ADAPTERS)('authorises, runs a POST to 200 and to a field-naming 400 on %s', async (adapter) => {
    const desk = await DemoProcess.start(adapter);
    const page = await context.newPage();
    const seen: Promise<Seen>[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith('/capabilities/')) return;
      const method = response.request().method();
      seen.push(
        response.text().then((text) => ({ method, path: pathname, status: response.status(), body: text })),
      );
    });
    try {
      await page.goto(`${desk.url}/docs`);
      await authorise(page, desk.token('mia'));
      const operation = page.locator('.opblock', { hasText: '/capabilities/orders.refund' });
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('button.try-out__btn').click();
      expect(
        await execute(operation, '{"orderId":"ord_1001","amount":500,"reason":"Damaged in transit"}'),
      ).toBe('200');
      await operation.locator('button.btn-clear').click();
      expect(
        await execute(operation, '{"orderId":"ord_1001","amount":"all","reason":"Damaged in transit"}'),
      ).toBe('400');
      const replies = await Promise.all(seen);
      expect(replies.map(({ status }) => status)).toEqual([200, 400]);
      expect(JSON.parse(replies[1]?.body ?? '')).toMatchObject({ error: { field: 'amount' } });
      const validator = new ResponseValidator(await desk.document());
      const problems = replies.flatMap(({ method, path, status, body }) =>
        validator.problems(method, path, status, body),
      );
      expect(problems).toEqual([]);
    } finally {
      await page.close();
      await desk.stop();
    }
  });
});
