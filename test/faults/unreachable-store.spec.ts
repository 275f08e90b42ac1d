import type { Driver } from '../battery/battery-case.js';
import { BatteryDriver } from '../battery/driver/driver.js';
import { hangUp } from '../battery/driver/http.js';
import { BatterySession } from '../battery/driver/session.js';
import { outage, OUTAGES } from './cases/unreachable-store.js';
import { OwnPostgres } from './own-postgres.js';

/** The promise is two seconds; a busy test machine may add one of its own. */
const LIMIT_MS = 3_000;

let server: OwnPostgres;
let session: BatterySession;

beforeAll(async () => {
  server = await OwnPostgres.start();
  session = await BatterySession.open({
    store: 'postgres',
    adapter: 'express',
    postgresUrl: server.url,
    storeTimeoutMs: 'default',
  });
}, 90_000);
afterAll(async () => {
  await session.close();
  hangUp();
  server.close();
});
beforeEach(() => session.fresh());

it.each(OUTAGES)(
  '$id: when $title, everything is refused and nothing runs',
  (how) => outage(new BatteryDriver(session) as Driver, server, how, LIMIT_MS),
  60_000,
);
