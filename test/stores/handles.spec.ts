import { jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { MemorySingleUseStore, MemoryTaskStore } from 'nest-capabilities/mcp';
import { APP_ROLE_SQL, fromPglite, fromPgPool, SqlSingleUseStore, SqlTaskStore } from 'nest-capabilities/sql';
import { ShiftedClock, singleUseStoreContract, taskStoreContract } from 'nest-capabilities/testing';
import { TestSchema } from './postgres.js';

jest.setTimeout(60_000);

const nothing = async (): Promise<void> => undefined;

describe('in memory', () => {
  taskStoreContract('memory', async () => {
    const clock = new ShiftedClock();
    const store = new MemoryTaskStore(clock);
    return { store, other: store, clock, close: nothing };
  });

  singleUseStoreContract('memory', async () => {
    const clock = new ShiftedClock();
    const store = new MemorySingleUseStore(clock);
    return { store, other: store, clock, close: nothing };
  });
});

describe('in an embedded database', () => {
  let db: PGlite;
  beforeAll(async () => {
    db = await PGlite.create();
  });
  afterAll(() => db.close());
  const database = () => fromPglite(db, { timeoutMs: 20_000 });

  taskStoreContract('PGlite', async () => {
    const clock = new ShiftedClock();
    const [store, other] = [
      new SqlTaskStore(database(), { clock }),
      new SqlTaskStore(database(), { clock, migrate: false }),
    ];
    await store.open();
    await other.open();
    return { store, other, clock, close: nothing };
  });

  singleUseStoreContract('PGlite', async () => {
    const clock = new ShiftedClock();
    const open = () => new SqlSingleUseStore(database(), { clock });
    const [store, other] = [open(), open()];
    await store.open();
    return { store, other, clock, close: nothing };
  });
});

describe('in PostgreSQL', () => {
  let schema: TestSchema;
  beforeAll(async () => {
    schema = await TestSchema.create();
  });
  afterAll(() => schema.drop());
  const database = () => fromPgPool(schema.pool(), { timeoutMs: 20_000 });

  taskStoreContract('PostgreSQL', async () => {
    const clock = new ShiftedClock();
    const open = () => new SqlTaskStore(database(), { clock });
    const [store, other] = [open(), open()];
    await Promise.all([store.open(), other.open()]);
    return { store, other, clock, close: nothing };
  });

  singleUseStoreContract('PostgreSQL', async () => {
    const clock = new ShiftedClock();
    const open = () => new SqlSingleUseStore(database(), { clock });
    const [store, other] = [open(), open()];
    await Promise.all([store.open(), other.open()]);
    return { store, other, clock, close: nothing };
  });

  it('removes what is over, and needs no more than the application’s role', async () => {
    const pool = schema.pool();
    await pool.query(APP_ROLE_SQL);
    const clock = new ShiftedClock();
    const options = `-c search_path=${schema.name} -c role=capability_app`;
    const limited = fromPgPool(schema.pool({ options }));
    const handles = new SqlSingleUseStore(limited, { clock, migrate: false });
    await handles.open();
    const [old, fresh] = ['old handle', 'fresh handle'];
    await handles.consume(old, 1_000);
    clock.advance(2 * 86_400_000);
    await handles.consume(fresh, 1_000);

    const { rows } = await pool.query('select id from capability_used_handles');
    expect(rows).toEqual([{ id: fresh }]);
  });

  it('is UNAVAILABLE when the database does not answer', async () => {
    const pool = schema.pool();
    const [tasks, handles] = [new SqlTaskStore(fromPgPool(pool)), new SqlSingleUseStore(fromPgPool(pool))];
    await pool.query('alter table capability_tasks rename to capability_tasks_gone');
    await pool.query('alter table capability_used_handles rename to capability_used_handles_gone');
    const unavailable = { reason: 'UNAVAILABLE', status: 503 };
    await expect(tasks.open()).rejects.toMatchObject(unavailable);
    await expect(tasks.find('owner', randomUUID())).rejects.toMatchObject(unavailable);
    await expect(handles.open()).rejects.toMatchObject(unavailable);
    await expect(handles.consume('id', 1)).rejects.toMatchObject(unavailable);
  });
});
