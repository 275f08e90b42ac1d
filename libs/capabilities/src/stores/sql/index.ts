export { APP_ROLE_SQL, MIGRATIONS, type Migration } from './migrations/migrations.js';
export { fromPglite, type PgliteLike } from './pglite-database.js';
export { fromPgPool, type PgClientLike, type PgPoolLike } from './pg-pool-database.js';
export { SqlConversationStore } from './sql-conversation-store.js';
export { SqlDatabase, type SqlRow, type SqlSession, type TransactionOptions } from './sql-database.js';
export { SqlSingleUseStore } from './sql-single-use-store.js';
export { SqlTaskStore } from './sql-task-store.js';
export { SqlCapabilityStore, type SqlStoreOptions } from './sql-store.js';
