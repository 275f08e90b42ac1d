import { applies, type Driver } from './battery-case.js';
import { BATTERY } from './cases/battery.js';
import { BatteryDriver } from './driver/driver.js';
import { hangUp } from './driver/http.js';
import { BatterySession } from './driver/session.js';
import type { AdapterName, StoreName } from './fixture/config.js';

const WHERE: readonly { readonly store: StoreName; readonly adapter: AdapterName }[] = [
  { store: 'memory', adapter: 'express' },
  { store: 'memory', adapter: 'fastify' },
  { store: 'pglite', adapter: 'express' },
  { store: 'postgres', adapter: 'express' },
  { store: 'postgres', adapter: 'fastify' },
];

/** Which racer wins and which come too early is chance, and here they get another answer than the others. */
const ANSWERS_VARY: ReadonlySet<string> = new Set(['B03', 'B12']);

/** Case → the distinct answers it got, by store and adapter. */
const answers = new Map<string, Map<string, readonly string[]>>();

describe.each(WHERE)('the battery on $store with $adapter', ({ store, adapter }) => {
  const cases = BATTERY.filter((each) => applies(each, { store, adapter }));
  let session: BatterySession;

  beforeAll(async () => {
    session = await BatterySession.open({ store, adapter });
  }, 60_000);
  afterAll(() => session.close());
  afterAll(hangUp);

  it.each(cases)(
    '$id $title',
    async ({ id, run }) => {
      await session.fresh();
      const t = new BatteryDriver(session) as Driver;
      await run(t);
      const seen = answers.get(id) ?? new Map<string, readonly string[]>();
      answers.set(id, seen.set(`${store} ${adapter}`, [...new Set(t.answers)].sort()));
    },
    60_000,
  );
});

describe('the answers', () => {
  it.each(BATTERY.filter(({ id, stores }) => !ANSWERS_VARY.has(id) && stores === undefined))(
    'of $id are the same on every store and adapter',
    ({ id }) => {
      const everywhere = [...(answers.get(id)?.values() ?? [])];
      expect(everywhere).toHaveLength(WHERE.length);
      expect(new Set(everywhere.map((each) => each.join('\n'))).size).toBe(1);
    },
  );
});
