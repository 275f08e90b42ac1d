import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { applies, type BatteryCase, type Driver } from './battery-case.js';
import { BATTERY } from './cases/battery.js';
import { BatteryDriver } from './driver/driver.js';
import { hangUp } from './driver/http.js';
import { BatterySession } from './driver/session.js';
import { type AdapterName, ADAPTERS, type StoreName, STORES } from './fixture/config.js';

const USAGE =
  'npm run battery -- --store memory|pglite|postgres --adapter express|fastify [--case B07 | --file PATH]';

interface Arguments {
  readonly store: StoreName;
  readonly adapter: AdapterName;
  readonly only: string | undefined;
  readonly file: string | undefined;
}

/** Runs the cases that apply and closes with `N passed, N failed`. Resolves with the exit code. */
export async function runBattery(argv: readonly string[]): Promise<number> {
  const { store, adapter, only, file } = readArguments(argv);
  const known = file === undefined ? BATTERY : await loadCases(file);
  const wanted = only === undefined ? known : known.filter(({ id }) => id === only);
  if (wanted.length === 0) throw new Error(`There is no case ${only ?? 'in that file'}.`);
  const session = await BatterySession.open({ store, adapter });
  try {
    const t = new BatteryDriver(session) as Driver;
    const failed = await runCases(wanted, t);
    return failed;
  } finally {
    await session.close();
    hangUp();
  }
}

async function runCases(cases: readonly BatteryCase[], t: Driver): Promise<number> {
  const where = { store: t.storeName, adapter: t.adapter };
  let [passed, failed] = [0, 0];
  for (const each of cases) {
    if (!applies(each, where)) {
      console.log(`-    ${each.id} ${each.title}: does not apply to ${where.store} on ${where.adapter}`);
      continue;
    }
    try {
      await t.session.fresh();
      await each.run(t);
      passed++;
      console.log(`ok   ${each.id} ${each.title}`);
    } catch (error) {
      failed++;
      console.log(`FAIL ${each.id} ${each.title}\n${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** A module's cases: its default export, or any exported list. */
async function loadCases(file: string): Promise<readonly BatteryCase[]> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>;
  const lists = Object.values(module).filter((value): value is BatteryCase[] => Array.isArray(value));
  if (lists.length === 0) throw new Error(`${file} exports no list of cases.`);
  return [...new Set(lists.flat())];
}

function readArguments(argv: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      store: { type: 'string', default: 'memory' },
      adapter: { type: 'string', default: 'express' },
      case: { type: 'string' },
      file: { type: 'string' },
    },
  });
  const store = STORES.find((name) => name === values.store);
  const adapter = ADAPTERS.find((name) => name === values.adapter);
  if (store === undefined || adapter === undefined) throw new Error(USAGE);
  return { store, adapter, only: values.case, file: values.file };
}
