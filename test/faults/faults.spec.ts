import { applies, type Driver } from '../battery/battery-case.js';
import { BatteryDriver } from '../battery/driver/driver.js';
import { hangUp } from '../battery/driver/http.js';
import { BatterySession } from '../battery/driver/session.js';
import { FAULTS } from './cases/faults.js';

const WHERE = [
  { store: 'postgres', adapter: 'fastify' },
  { store: 'pglite', adapter: 'express' },
  { store: 'memory', adapter: 'express' },
] as const;

describe.each(WHERE)('faults on $store', (where) => {
  let session: BatterySession;

  beforeAll(async () => {
    session = await BatterySession.open(where);
  }, 60_000);
  afterAll(() => session.close());
  afterAll(hangUp);

  it.each(FAULTS.filter((each) => applies(each, where)))(
    '$id: $title',
    async ({ run }) => {
      await session.fresh();
      await run(new BatteryDriver(session) as Driver);
    },
    60_000,
  );
});
