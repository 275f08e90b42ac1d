import { jest } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { fromPglite, fromPgPool, SqlCapabilityStore } from 'nest-capabilities/sql';
import { capabilityStoreContract, ShiftedClock } from 'nest-capabilities/testing';
import { TestSchema } from './postgres.js';

jest.setTimeout(60_000);

capabilityStoreContract('memory', async () => {
  const clock = new ShiftedClock();
  const store = new MemoryCapabilityStore({ clock });
  return { store, other: store, clock, close: async () => undefined };
});

capabilityStoreContract('PGlite', async () => {
  const clock = new ShiftedClock();
  const db = new PGlite();
  const database = fromPglite(db, { timeoutMs: 20_000 });
  const [store, other] = [
    new SqlCapabilityStore(database, { clock }),
    new SqlCapabilityStore(database, { clock }),
  ];
  await store.open();
  return { store, other, clock, close: () => db.close() };
});

capabilityStoreContract('PostgreSQL', async () => {
  const clock = new ShiftedClock();
  const schema = await TestSchema.create();
  const open = () => new SqlCapabilityStore(fromPgPool(schema.pool(), { timeoutMs: 20_000 }), { clock });
  const [store, other] = [open(), open()];
  await Promise.all([store.open(), other.open()]);
  return { store, other, clock, close: () => schema.drop() };
});
