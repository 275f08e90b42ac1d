import { jest } from '@jest/globals';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { APP_ROLE_SQL, fromPgPool, MIGRATIONS, SqlCapabilityStore } from 'nest-capabilities/sql';
import { ShiftedClock, storeFixtures } from 'nest-capabilities/testing';
import { TestSchema } from './postgres.js';

jest.setTimeout(60_000);

const {
  approved,
  answer,
  ask,
  event,
  eventTypes,
  freshTenant,
  keyOf,
  keyRequest,
  taken,
  takeRequest,
  verify,
} = storeFixtures;

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

describe('time on PostgreSQL', () => {
  it('refuses an approval that expired while its row was locked by somebody else', async () => {
    const record = await approved(store, freshTenant(), { executeWithin: 400 });
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from capability_approvals where id = $1 for update', [record.id]);
    const taking = store.take(takeRequest(record));
    await new Promise((resolve) => setTimeout(resolve, 700));
    await holder.query('commit');
    holder.release();
    expect(answer(await taking)).toBe('refused:EXPIRED');
    expect(await eventTypes(store, record.tenant)).toEqual(['suspended', 'decided', 'expired']);
  });

  it('compares windows with the database’s clock, moved by the clock port', async () => {
    const clock = new ShiftedClock();
    const shifted = new SqlCapabilityStore(fromPgPool(pool), { clock });
    const record = await approved(store, freshTenant());
    clock.advance(record.executeWithin + 1_000);
    expect(answer(await shifted.take(takeRequest(record)))).toBe('refused:EXPIRED');
  });
});

describe('the audit on PostgreSQL', () => {
  const columns = [
    ['at', `at + 1`],
    ['type', `'decided'`],
    ['capability', `'other'`],
    ['execution_id', `'other'`],
    ['correlation_id', `'other'`],
    ['approval_id', `'other'`],
    ['outcome', `'success'`],
    ['principal', `'mallory'`],
    ['human', `null`],
    ['body', `replace(body, 'refund', 'reward')`],
    ['subject', `replace(subject, 'alice', 'carol')`],
    ['subject', `null`],
    ['commitment', `repeat('0', 64)`],
    ['prev_hash', `repeat('0', 64)`],
    ['hash', `repeat('0', 64)`],
  ] as const;

  it.each(columns)('verification names the row whose %s was edited to %s', async (column, value) => {
    const tenant = freshTenant();
    for (let index = 0; index < 5; index++) await store.audit.append(event(tenant, 'requested'));
    expect((await verify(store, tenant)).ok).toBe(true);
    await pool.query(`update capability_audit set ${column} = ${value} where tenant = $1 and seq = 3`, [
      tenant,
    ]);
    const report = await verify(store, tenant);
    expect([report.ok, report.seq]).toEqual([false, 3]);
    expect(report.problem).toContain('row 3');
  });

  it('verification names a deleted row, and a swapped pair', async () => {
    const tenant = freshTenant();
    for (let index = 0; index < 5; index++) await store.audit.append(event(tenant, 'requested'));
    await pool.query('update capability_audit set seq = 9 where tenant = $1 and seq = 3', [tenant]);
    await pool.query('update capability_audit set seq = 3 where tenant = $1 and seq = 4', [tenant]);
    expect((await verify(store, tenant)).seq).toBe(3);
    await pool.query('delete from capability_audit where tenant = $1 and seq = 3', [tenant]);
    expect((await verify(store, tenant)).seq).toBe(3);
  });

  it('keeps one chain with 50 writers in single transactions over two pools', async () => {
    const tenant = freshTenant();
    const second = new SqlCapabilityStore(fromPgPool(schema.pool()));
    const writes = Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? store : second).take(keyRequest(keyOf(tenant))),
    );
    expect((await Promise.all(writes)).map(answer)).toEqual(Array(50).fill('taken'));
    const report = await verify(store, tenant);
    expect([report.ok, report.rows]).toEqual([true, 50]);
  });
});

describe('the application’s role', () => {
  it('runs everything, and can neither update, delete nor truncate the audit', async () => {
    await pool.query(APP_ROLE_SQL);
    const limited = schema.pool({ options: `-c search_path=${schema.name} -c role=capability_app` });
    const asApp = new SqlCapabilityStore(fromPgPool(limited), { migrate: false });
    await asApp.open();
    const record = await approved(asApp, freshTenant());
    const { claim } = taken(await asApp.take(takeRequest(record)));
    await asApp.complete(claim, { status: 'unknown', reason: 'TIMEOUT' }, event(record.tenant, 'failed'));
    await asApp.take(keyRequest(keyOf(record.tenant)));
    await asApp.sweep({ keysFor: 0 });
    expect((await verify(asApp, record.tenant)).ok).toBe(true);
    for (const statement of [
      `update capability_audit set outcome = 'success'`,
      'delete from capability_audit',
      'truncate capability_audit',
      'delete from capability_approvals',
      'drop table capability_audit',
    ]) {
      await expect(limited.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
  });
});

describe('starting on PostgreSQL', () => {
  it('lets six instances start at once', async () => {
    const fresh = await TestSchema.create();
    const stores = Array.from(
      { length: 6 },
      () => new SqlCapabilityStore(fromPgPool(fresh.pool({ max: 1 }))),
    );
    await Promise.all(stores.map((each) => each.open()));
    await Promise.all(stores.map((each) => each.open()));
    const { rows } = await fresh.pool().query('select version from capability_migrations order by version');
    expect(rows).toEqual(MIGRATIONS.map(({ version }) => ({ version })));
    await fresh.drop();
  });

  it('refuses to open without its tables, and with a table missing', async () => {
    const fresh = await TestSchema.create();
    const bare = new SqlCapabilityStore(fromPgPool(fresh.pool()), { migrate: false });
    await expect(bare.open()).rejects.toThrow();
    const migrated = new SqlCapabilityStore(fromPgPool(fresh.pool()));
    await migrated.open();
    await fresh.pool().query('drop table capability_audit');
    await expect(migrated.open()).rejects.toThrow();
    await fresh.drop();
  });

  it('ships exactly the SQL files', () => {
    const folder = 'libs/capabilities/src/stores/sql/migrations';
    const files = readdirSync(folder)
      .filter((file) => /^\d{4}_.*\.sql$/.test(file))
      .sort();
    expect(
      MIGRATIONS.map(({ version, name, sql }) => [`${String(version).padStart(4, '0')}_${name}.sql`, sql]),
    ).toEqual(files.map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')]));
    expect(APP_ROLE_SQL).toBe(readFileSync(`${folder}/app-role.sql`, 'utf8'));
  });
});

describe('when the store cannot answer', () => {
  const unavailable = { reason: 'UNAVAILABLE', code: 'UPSTREAM', status: 503, retryable: true };

  /** Every operation fails closed within two seconds. */
  async function expectUnavailable(broken: SqlCapabilityStore): Promise<void> {
    const tenant = freshTenant();
    const record = { ...(await ask(store, freshTenant())), tenant };
    const operations = [
      () => broken.approvals.get(tenant, record.id),
      () => broken.approvals.list({ tenant, limit: 10 }),
      () => broken.take(takeRequest(record)),
      () => broken.take({ executionId: 'e', leaseMs: 1, started: event(tenant, 'started') }),
      () => broken.idempotency.look(keyOf(tenant), 'hash'),
      () => broken.audit.append(event(tenant, 'requested')),
      () => broken.ping(),
      () => ask(broken, tenant),
    ];
    const answers = await Promise.all(
      operations.map(async (operation) => {
        const began = performance.now();
        const error: unknown = await operation().then(
          () => 'answered',
          (caught: unknown) => caught,
        );
        return { error, inTime: performance.now() - began < 2_000 };
      }),
    );
    for (const { error, inTime } of answers) {
      expect(error).toMatchObject(unavailable);
      expect(inTime).toBe(true);
    }
  }

  it('fails closed on a dead port', async () => {
    const dead = new pg.Pool({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' });
    await expectUnavailable(new SqlCapabilityStore(fromPgPool(dead)));
    await dead.end();
  });

  it('fails closed on a server that accepts and never answers', async () => {
    const sockets: Socket[] = [];
    const server: Server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const silent = new pg.Pool({ host: '127.0.0.1', port, user: 'nobody', database: 'none' });
    await expectUnavailable(new SqlCapabilityStore(fromPgPool(silent)));
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await silent.end();
  });

  it('fails closed on an exhausted pool, and works again afterwards', async () => {
    const small = schema.pool({ max: 1 });
    const waiting = new SqlCapabilityStore(fromPgPool(small));
    const holder = await small.connect();
    await expectUnavailable(waiting);
    holder.release();
    await waiting.ping();
    const record = await approved(waiting, freshTenant());
    expect(record.state).toBe('approved');
  });

  it('fails closed on a lock that is not given up, and frees the connection', async () => {
    const record = await approved(store, freshTenant());
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from capability_approvals where id = $1 for update', [record.id]);
    const began = performance.now();
    await expect(store.take(takeRequest(record))).rejects.toMatchObject(unavailable);
    expect(performance.now() - began).toBeLessThan(2_000);
    await holder.query('rollback');
    holder.release();
    expect(answer(await store.take(takeRequest(record)))).toBe('taken');
  });

  it('survives connections that the server closes, in use and idle', async () => {
    const own = schema.pool({ max: 2, application_name: `victim-${schema.name}` });
    const victim = new SqlCapabilityStore(fromPgPool(own));
    const record = await approved(victim, freshTenant());
    const kill = () =>
      pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1`, [
        `victim-${schema.name}`,
      ]);
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from capability_approvals where id = $1 for update', [record.id]);
    const taking = victim.take(takeRequest(record));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await kill();
    await expect(taking).rejects.toMatchObject(unavailable);
    await holder.query('rollback');
    holder.release();
    expect((await store.approvals.get(record.tenant, record.id))!.state).toBe('approved');
    await victim.ping();
    await kill();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(answer(await victim.take(takeRequest(record)))).toBe('taken');
  });

  it('fails closed on a damaged row', async () => {
    const tenant = freshTenant();
    const record = await approved(store, tenant);
    await pool.query(`update capability_approvals set request = '{"id":' where id = $1`, [record.id]);
    await expect(store.approvals.get(tenant, record.id)).rejects.toMatchObject(unavailable);
    await expect(store.approvals.list({ tenant, limit: 10 })).rejects.toMatchObject(unavailable);
    await expect(store.take(takeRequest(record))).rejects.toMatchObject(unavailable);
    const scope = keyOf(tenant);
    await store.take(keyRequest(scope));
    await pool.query(`update capability_keys set state = 'done', outcome = 'broken' where tenant = $1`, [
      tenant,
    ]);
    await expect(store.idempotency.look(scope, 'hash-1')).rejects.toMatchObject(unavailable);
  });

  it('stores nothing of a take whose transaction breaks after the claim', async () => {
    const record = await approved(store, freshTenant());
    await pool.query('alter table capability_audit rename to capability_audit_away');
    try {
      await expect(store.take(takeRequest(record))).rejects.toMatchObject(unavailable);
    } finally {
      await pool.query('alter table capability_audit_away rename to capability_audit');
    }
    expect((await store.approvals.get(record.tenant, record.id))!.state).toBe('approved');
    expect(await eventTypes(store, record.tenant)).toEqual(['suspended', 'decided']);
  });
});
