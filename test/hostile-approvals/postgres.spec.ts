import { jest } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { APP_ROLE_SQL, fromPgPool, SqlCapabilityStore, type SqlDatabase } from 'nest-capabilities/sql';
import { ShiftedClock, storeFixtures } from 'nest-capabilities/testing';
import { TestSchema } from '../stores/postgres.js';
import { closeApps } from '../nest/support.js';
import { ALICE, failure, startDesk } from './desk.js';

jest.setTimeout(60_000);
afterEach(closeApps);

const { approved, answer, ask, decide, event, freshTenant, keyOf, keyRequest, takeRequest, verify } =
  storeFixtures;

let schema: TestSchema;
let pool: pg.Pool;
let store: SqlCapabilityStore;

beforeAll(async () => {
  schema = await TestSchema.create();
  pool = schema.pool();
  store = new SqlCapabilityStore(fromPgPool(pool));
  await store.open();
});
afterAll(() => schema.drop());

describe('a damaged row', () => {
  const damages = [
    ['request', '{'],
    ['request', '{}'],
    ['request', 'null'],
    ['request', '[]'],
    ['votes', 'null'],
    ['votes', '{}'],
    ['votes', '[{}]'],
    ['decision', '[]'],
    ['outcome', '7'],
  ] as const;

  it.each(damages)('whose %s is %s is a fault, never an absent approval', async (column, value) => {
    const record = await approved(store, freshTenant());
    await pool.query(`update capability_approvals set ${column} = $2 where id = $1`, [record.id, value]);
    const unavailable = { reason: 'UNAVAILABLE' };
    await expect(store.approvals.get(record.tenant, record.id)).rejects.toMatchObject(unavailable);
    await expect(store.approvals.list({ tenant: record.tenant, limit: 10 })).rejects.toMatchObject(
      unavailable,
    );
    await expect(store.take(takeRequest(record))).rejects.toMatchObject(unavailable);
    await expect(decide(store, record, 'dave')).rejects.toMatchObject(unavailable);
  });

  it('that carries the request of another approval is a fault', async () => {
    const tenant = freshTenant();
    const [cheap, dear] = [await approved(store, tenant), await ask(store, tenant, { inputHash: 'x' })];
    await pool.query(
      'update capability_approvals set request = (select request from capability_approvals where id = $2) where id = $1',
      [cheap.id, dear.id],
    );
    await expect(store.take(takeRequest(cheap))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it.each([
    ['outcome', '{'],
    ['outcome', 'null'],
    ['outcome', '{"status":"great"}'],
  ] as const)('of a key whose %s is %s is a fault', async (column, value) => {
    const scope = keyOf(freshTenant());
    await store.take(keyRequest(scope));
    await pool.query(`update capability_keys set state = 'done', ${column} = $2 where tenant = $1`, [
      scope.tenant,
      value,
    ]);
    await expect(store.idempotency.look(scope, 'hash-1')).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});

describe('texts that a database cannot hold', () => {
  it('match nothing as filters', async () => {
    const tenant = freshTenant();
    await ask(store, tenant);
    for (const text of ['\0', 'a\ud800'])
      for (const filter of [{ capability: text }, { type: text }, { requester: text }])
        expect((await store.approvals.list({ tenant, limit: 10, ...filter })).records).toEqual([]);
    for (const filter of [{ capability: '\0' }, { executionId: '\0' }, { correlationId: '\0' }])
      expect((await store.audit.page({ tenant, limit: 10, ...filter })).entries).toEqual([]);
  });

  it('survive in reasons, notes and unknown names, and the chain verifies', async () => {
    const tenant = freshTenant();
    const nasty = '\0 \ud800 \u2028 \'"\\u0000';
    const record = await ask(store, tenant);
    await decide(store, record, 'bob', 'reject', nasty);
    expect((await store.approvals.get(tenant, record.id))?.decision?.reason).toBe(nasty);
    await store.audit.append(event(tenant, 'requested', { capability: nasty }));
    await store.audit.append(event(tenant, 'requested', { correlationId: nasty + 'x'.repeat(20_000) }));
    expect(await verify(store, tenant)).toMatchObject({ ok: true, rows: 4 });
  });
});

describe('an exhausted pool', () => {
  it('answers every write with 503 within two seconds, however many reads wait', async () => {
    const tight = schema.pool({ max: 1 });
    const app = await startDesk({ store: { useValue: new SqlCapabilityStore(fromPgPool(tight)) } });
    const held = await tight.connect();
    try {
      const reads = Array.from({ length: 400 }, () =>
        app.runner.execute('desk.nothing', {}, { principal: ALICE, surface: 'rest' }),
      );
      const from = performance.now();
      const write = app.runner.execute('desk.write', { id: 1 }, { principal: ALICE, surface: 'rest' });
      const error = failure(await write);
      const took = performance.now() - from;
      expect([error.reason, error.status]).toEqual(['UNAVAILABLE', 503]);
      expect(took).toBeLessThan(2_000);
      expect(app.desk.effects).toEqual([]);
      await Promise.all(reads);
    } finally {
      held.release();
    }
  });
});

describe('the application’s role', () => {
  it('finds no way around its rights on the audit', async () => {
    await pool.query(APP_ROLE_SQL);
    const limited = schema.pool({ options: `-c search_path=${schema.name} -c role=capability_app` });
    const tenant = freshTenant();
    await store.audit.append(event(tenant, 'requested'));
    const statements = [
      `update capability_audit set outcome = 'success'`,
      'truncate capability_audit cascade',
      'truncate capability_keys, capability_audit',
      `insert into capability_audit select * from capability_audit where tenant = '${tenant}'
         on conflict (tenant, seq) do update set outcome = 'success'`,
      `with gone as (delete from capability_audit returning 1) select count(*) from gone`,
      'alter table capability_audit disable trigger all',
      'alter table capability_audit rename to gone',
      'alter table capability_audit add column x text',
      'alter table capability_audit owner to capability_app',
      'create rule r as on insert to capability_audit do instead nothing',
      'create trigger t before insert on capability_audit for each row execute function suppress_redundant_updates_trigger()',
      'create policy p on capability_audit using (true)',
      'select from capability_audit for update',
      'begin; lock table capability_audit in access exclusive mode',
      'drop function capability_audit_append(text)',
      `create or replace function capability_audit_append(events text) returns void language sql as 'select'`,
      'set session_replication_role = replica',
      `merge into capability_audit a using (select 1) s on a.tenant = '${tenant}' when matched then delete`,
      `insert into capability_audit_bases values ('${tenant}', '{}')`,
      'delete from capability_migrations',
      `copy capability_audit to program 'true'`,
      'drop schema ' + schema.name + ' cascade',
    ];
    // Answered with a warning, and grants nothing.
    await limited.query('grant update, delete, truncate on capability_audit to capability_app');
    const granted: string[] = [];
    for (const statement of statements) {
      await limited.query(statement).then(
        () => granted.push(statement),
        (error: { code?: string }) => {
          if (error.code !== '42501') granted.push(`${error.code}: ${statement}`);
        },
      );
    }
    expect(granted).toEqual([]);
    expect((await verify(store, tenant)).ok).toBe(true);
  });
});

it('keeps what an operator found with the approval and with its key', async () => {
  const clock = new ShiftedClock();
  const own = new SqlCapabilityStore(fromPgPool(pool), { clock });
  const scope = keyOf(freshTenant());
  const record = await approved(own, scope.tenant, { idempotency: scope, inputHash: 'hash-1' });
  expect(answer(await own.take(takeRequest(record)))).toBe('taken');
  clock.advance(2 * 60_000);
  const result = await own.approvals.resolve(scope.tenant, record.id, 'succeeded', 'seen', (after) =>
    event(after.tenant, 'completed'),
  );
  const key = await own.idempotency.look(scope, 'hash-1');
  if (result.status !== 'moved' || key.status !== 'done') throw new Error(`${result.status} ${key.status}`);
  expect(result.record).toMatchObject({ state: 'succeeded', outcome: { status: 'failed' } });
  expect(result.record.outcome).toEqual(key.outcome);
});

it('keeps the truth when two tenants ask at once through one key', async () => {
  const [a, b] = [freshTenant(), freshTenant()];
  const key = 'same';
  expect(answer(await store.take(keyRequest(keyOf(a, key))))).toBe('taken');
  expect(answer(await store.take(keyRequest(keyOf(b, key))))).toBe('taken');
  expect(answer(await store.take(keyRequest(keyOf(a, key, 'user:other'))))).toBe('taken');
  expect(answer(await store.take(keyRequest(keyOf(a, key), 'hash-2')))).toBe('refused:KEY_REUSED');
});

describe('what time alone moves on', () => {
  it('does not cross the locks of whoever writes for several tenants', async () => {
    const fresh = await TestSchema.create();
    const own = fresh.pool();
    const clock = new ShiftedClock();
    const swept = new SqlCapabilityStore(fromPgPool(own), { clock });
    await swept.open();
    for (const tenant of ['b', 'a']) await ask(swept, tenant);
    clock.advance(16 * 60_000);
    const writer = await own.connect();
    const lock = (tenant: string): Promise<unknown> =>
      writer.query(
        `select pg_advisory_xact_lock(hashtextextended('capability_audit'::regclass::oid::text || ':' || $1, 0))`,
        [tenant],
      );
    try {
      await writer.query('begin');
      await lock('a');
      const sweeping = swept.sweep();
      await pause(150);
      await lock('b');
      await writer.query('commit');
      expect(await sweeping).toMatchObject({ expired: 2 });
    } finally {
      writer.release(true);
      await fresh.drop();
    }
  });

  it('moves on for every tenant but the one whose row is damaged', async () => {
    const fresh = await TestSchema.create();
    const own = fresh.pool();
    const clock = new ShiftedClock();
    const swept = new SqlCapabilityStore(fromPgPool(own), { clock });
    await swept.open();
    const [damaged] = [await ask(swept, 'a'), await ask(swept, 'b'), await ask(swept, 'c')];
    await own.query(`update capability_approvals set request = '{' where id = $1`, [damaged.id]);
    clock.advance(16 * 60_000);
    await expect(swept.sweep()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    const { rows } = await own.query('select tenant, state from capability_approvals order by tenant');
    expect(rows.map(({ state }: { state: string }) => state)).toEqual(['pending', 'expired', 'expired']);
    await fresh.drop();
  });

  it('does not keep a list from answering over a slow network', async () => {
    const tenant = freshTenant();
    for (let index = 0; index < 120; index++) await ask(store, tenant);
    const clock = new ShiftedClock();
    clock.advance(16 * 60_000);
    // Two statements a row: all rows in one transaction would need more than the limit, a batch far less.
    const far = new SqlCapabilityStore(slowDatabase(fromPgPool(pool, { timeoutMs: 5_000 }), 25), { clock });
    const page = await far.approvals.list({ tenant, limit: 200 });
    expect(page.records.map(({ state }) => state)).toEqual(Array(120).fill('expired'));
  }, 60_000);
});

/** The same database, every statement later. */
function slowDatabase(database: SqlDatabase, ms: number): SqlDatabase {
  const later = async <T>(answer: () => Promise<T>): Promise<T> => {
    await pause(ms);
    return answer();
  };
  return {
    query: (text, values) => later(() => database.query(text, values)),
    transaction: (work, options) =>
      database.transaction(
        (session) =>
          work({
            query: (text, values) => later(() => session.query(text, values)),
            script: (text) => session.script(text),
          }),
        options,
      ),
  };
}
