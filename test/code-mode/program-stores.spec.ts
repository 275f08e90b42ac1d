import { jest } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import {
  MemoryProgramStore,
  type ProgramRecord,
  type ProgramStore,
  SqlProgramStore,
} from 'nest-capabilities/code-mode';
import { fromPglite, fromPgPool } from 'nest-capabilities/sql';
import type pg from 'pg';
import { TestSchema } from '../stores/postgres.js';
import { postgres, suiteWith } from '../support/services.js';

jest.setTimeout(60_000);

const record = (more: Partial<ProgramRecord> = {}): ProgramRecord => ({
  key: 'k',
  holder: 'one',
  state: 'running',
  until: 100,
  seed: { startedAt: 1, random: '00' },
  calls: [],
  ...more,
});
const lease = (holder: string, now: number) => ({ holder, now, until: now + 100 });

let database: PGlite;
beforeAll(async () => {
  database = await PGlite.create();
});
afterAll(() => database.close());

const STORES: Readonly<Record<string, () => Promise<ProgramStore>>> = {
  memory: () => Promise.resolve(new MemoryProgramStore()),
  PGlite: async () => {
    const store = new SqlProgramStore(fromPglite(database, { timeoutMs: 20_000 }));
    await store.open();
    await store.open();
    await database.exec('truncate capability_programs');
    return store;
  },
};

function storesPrograms(open: () => Promise<ProgramStore>): void {
  it('has nothing to claim at first', async () =>
    expect(await (await open()).claim('k', lease('one', 0))).toEqual({ status: 'none' }));

  it('gives a record to one run at a time', async () => {
    const store = await open();
    expect(await store.save(record())).toBe(true);
    expect(await store.save(record({ holder: 'two' }))).toBe(false);
    expect(await store.claim('k', lease('two', 50))).toEqual({ status: 'held' });
    await store.save(record({ state: 'suspended', until: 1_000 }));
    const claim = await store.claim('k', lease('two', 60));
    expect(claim).toEqual({ status: 'claimed', record: record({ holder: 'two', until: 160 }) });
    expect(await store.claim('k', lease('three', 60))).toEqual({ status: 'held' });
    expect(await store.save(record())).toBe(false);
    await store.remove('k', 'one');
    expect(await store.claim('k', lease('three', 61))).toEqual({ status: 'held' });
    await store.remove('k', 'two');
    expect(await store.claim('k', lease('three', 62))).toEqual({ status: 'none' });
  });

  it('gives up a holder that said nothing more, and forgets what waited too long', async () => {
    const store = await open();
    await store.save(record());
    expect(await store.claim('k', lease('two', 100))).toMatchObject({ status: 'claimed' });
    await store.save(record({ holder: 'two', state: 'suspended', until: 300 }));
    expect(await store.claim('k', lease('three', 300))).toEqual({ status: 'none' });
    expect(await store.save(record({ holder: 'three' }))).toBe(true);
  });

  it('gives a record to one of many at once', async () => {
    const store = await open();
    await store.save(record({ state: 'suspended', until: 1_000 }));
    const claims = await Promise.all(
      ['a', 'b', 'c', 'd'].map((holder) => store.claim('k', lease(holder, 1))),
    );
    const statuses = claims.map(({ status }) => status).sort();
    expect(statuses).toEqual(['claimed', 'held', 'held', 'held']);
  });

  it('shares nothing with its callers', async () => {
    const store = await open();
    const calls = [{ index: 0, name: 'a', inputHash: 'h', state: 'started' as const }];
    await store.save(record({ state: 'suspended', until: 1_000, calls }));
    calls.length = 0;
    expect(await store.claim('k', lease('two', 0))).toMatchObject({ record: { calls: [{ name: 'a' }] } });
  });
}

describe.each(Object.entries(STORES))('the store of programs in %s', (_name, open) => storesPrograms(open));

suiteWith(await postgres(), 'the store of programs in PostgreSQL', () => {
  let schema: TestSchema;
  let pool: pg.Pool;
  beforeAll(async () => {
    schema = await TestSchema.create();
    pool = schema.pool();
  });
  afterAll(() => schema.drop());

  storesPrograms(async () => {
    const store = new SqlProgramStore(fromPgPool(pool, { timeoutMs: 20_000 }));
    await store.open();
    await pool.query('truncate capability_programs');
    return store;
  });
});
