import type { BatteryCase, Driver } from '../battery/battery-case.js';
import { applies } from '../battery/battery-case.js';
import { BATTERY } from '../battery/cases/battery.js';
import { BatteryDriver } from '../battery/driver/driver.js';
import { hangUp } from '../battery/driver/http.js';
import { BatterySession, type SessionOptions } from '../battery/driver/session.js';
import { ADAPTERS, STORES } from '../battery/fixture/config.js';
import { faultCases } from './cases/faults.js';
import { raceCases } from './cases/races.js';
import { outage, OUTAGES } from './cases/unreachable-store.js';
import { OwnPostgres } from './own-postgres.js';

const ROUNDS = 20;
const LIMIT_MS = 2_000;

/** The long loads: every race and every crash twenty times, outages within two seconds, the battery everywhere. */
export async function runFull(): Promise<number> {
  const score = { passed: 0, failed: 0 };
  for (const store of STORES) {
    for (const adapter of ADAPTERS) await runOn({ store, adapter }, BATTERY, score);
  }
  await runOn({ store: 'postgres', adapter: 'express' }, faultCases(ROUNDS), score);
  await runOn({ store: 'postgres', adapter: 'fastify' }, raceCases(ROUNDS), score);
  await runOutages(score);
  hangUp();
  console.log(`${score.passed} passed, ${score.failed} failed`);
  return score.failed === 0 ? 0 : 1;
}

interface Score {
  passed: number;
  failed: number;
}

async function runOutages(score: Score): Promise<void> {
  const server = await OwnPostgres.start();
  const cases: readonly BatteryCase[] = OUTAGES.map((how) => ({
    id: how.id,
    title: how.title,
    run: (t: Driver) => outage(t, server, how, LIMIT_MS),
  }));
  try {
    const where = { store: 'postgres', adapter: 'fastify', storeTimeoutMs: 'default' } as const;
    await runOn({ ...where, postgresUrl: server.url }, cases, score);
  } finally {
    server.close();
  }
}

async function runOn(where: SessionOptions, cases: readonly BatteryCase[], score: Score): Promise<void> {
  const session = await BatterySession.open(where);
  try {
    for (const each of cases.filter((one) => applies(one, where))) {
      const started = performance.now();
      const failure = await attempt(session, each);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      if (failure === undefined) score.passed++;
      else score.failed++;
      console.log(
        `${failure === undefined ? 'ok  ' : 'FAIL'} ${where.store} ${where.adapter} ${each.id} (${seconds} s)`,
      );
      if (failure !== undefined) console.log(failure);
    }
  } finally {
    await session.close();
  }
}

/** Undefined when the case passes. */
async function attempt(session: BatterySession, { run }: BatteryCase): Promise<string | undefined> {
  try {
    await session.fresh();
    await run(new BatteryDriver(session) as Driver);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
