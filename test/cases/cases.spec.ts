import { readdirSync } from 'node:fs';
import { ADAPTERS, type AdapterName, type CaseApp, startCaseApp } from './case-app.js';
import { DRIVERS } from './drivers.js';
import type { Checks, PublicCase } from './public-case.js';
import { PUBLIC_CASES } from './table.js';

const opened: CaseApp[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ app }) => app.close()));
});

function declare<S>(
  group: Checks<S> | undefined,
  on: string,
  adapter: AdapterName,
  attach: ((app: CaseApp) => S) | undefined,
): void {
  if (attach === undefined) return;
  for (const [title, check] of Object.entries(group ?? {})) {
    it(`${title} (${on})`, () =>
      check(async (setup) => {
        const app = await startCaseApp(adapter, setup);
        opened.push(app);
        return attach(app);
      }));
  }
}

function declareCase({ calls, lists, documents, boots, together }: PublicCase): void {
  for (const driver of DRIVERS) {
    for (const adapter of driver.adapters) {
      const on = driver.adapters.length > 1 ? `${driver.name} on ${adapter}` : driver.name;
      declare(calls, on, adapter, driver.calls);
      declare(lists, on, adapter, driver.lists);
      declare(documents, on, adapter, driver.documents);
    }
  }
  for (const adapter of ADAPTERS) {
    const attachAll = (app: CaseApp) => DRIVERS.flatMap((driver) => driver.calls?.(app) ?? []);
    declare(boots, `boot on ${adapter}`, adapter, (app) => app);
    declare(together, `together on ${adapter}`, adapter, attachAll);
  }
}

describe.each(PUBLIC_CASES)('$id: $title', declareCase);

it('the table lists every case file once', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => /^p\d{2}-/.test(name));
  const ids = files.map((name) => name.slice(0, 3).toUpperCase());
  expect(PUBLIC_CASES.map(({ id }) => id)).toEqual(ids.sort());
});
