import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { fromPglite, SqlCapabilityStore } from 'nest-capabilities/sql';
import { storeFixtures } from 'nest-capabilities/testing';

jest.setTimeout(60_000);

const { answer, approved, freshTenant, takeRequest, verify } = storeFixtures;

describe('PGlite on disk', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'capabilities-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const open = async () => {
    const db = await PGlite.create(folder);
    const store = new SqlCapabilityStore(fromPglite(db, { timeoutMs: 20_000 }));
    await store.open();
    return { db, store };
  };

  it('keeps approvals and audit over a restart, and fails closed once closed', async () => {
    const first = await open();
    const record = await approved(first.store, freshTenant());
    const { tenant, id } = record;
    await first.db.close();
    const unavailable = { reason: 'UNAVAILABLE', status: 503 };
    await expect(first.store.approvals.get(tenant, id)).rejects.toMatchObject(unavailable);
    await expect(first.store.take(takeRequest(record))).rejects.toMatchObject(unavailable);
    await expect(first.store.ping()).rejects.toMatchObject(unavailable);

    const second = await open();
    expect(await second.store.approvals.get(tenant, id)).toEqual(record);
    expect(answer(await second.store.take(takeRequest(record)))).toBe('taken');
    expect(await verify(second.store, tenant)).toMatchObject({ ok: true, rows: 3 });
    await second.db.close();
  });
});
