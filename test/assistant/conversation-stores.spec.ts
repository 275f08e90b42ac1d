import { jest } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import { MemoryConversationStore } from 'nest-capabilities/assistant';
import { APP_ROLE_SQL, fromPglite, fromPgPool, SqlConversationStore } from 'nest-capabilities/sql';
import { conversationStoreContract, ShiftedClock } from 'nest-capabilities/testing';
import { TestSchema } from '../stores/postgres.js';

jest.setTimeout(60_000);

conversationStoreContract('memory', async () => {
  const store = new MemoryConversationStore();
  return { store, other: store, clock: new ShiftedClock(), close: async () => undefined };
});

conversationStoreContract('PGlite', async () => {
  const clock = new ShiftedClock();
  const db = await PGlite.create();
  const open = () => new SqlConversationStore(fromPglite(db, { timeoutMs: 20_000 }), { clock });
  const [store, other] = [open(), open()];
  await store.open();
  return { store, other, clock, close: () => db.close() };
});

conversationStoreContract('PostgreSQL', async () => {
  const clock = new ShiftedClock();
  const schema = await TestSchema.create();
  const owner = fromPgPool(schema.pool(), { timeoutMs: 20_000 });
  const store = new SqlConversationStore(owner, { clock });
  await store.open();
  await owner.transaction((session) => session.script(APP_ROLE_SQL));
  const app = schema.pool({ options: `-c search_path=${schema.name} -c role=capability_app` });
  const other = new SqlConversationStore(fromPgPool(app, { timeoutMs: 20_000 }), { clock, migrate: false });
  await other.open();
  return { store, other, clock, close: () => schema.drop() };
});
