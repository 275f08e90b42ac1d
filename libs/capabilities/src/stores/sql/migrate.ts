import { MIGRATIONS } from './migrations/migrations.js';
import type { SqlRunner } from './sql-runner.js';

const MIGRATION_TIMEOUT_MS = 60_000;
const LOCK = `select pg_advisory_xact_lock(hashtextextended('nest-capabilities.migrations', 0))`;

/**
 * Brings the schema up to date. Safe when several instances start at once: one applies, the others wait for
 * it and find everything done. Each migration's number is inserted first, in the same transaction.
 */
async function migrate(runner: SqlRunner): Promise<void> {
  await runner.transaction(
    async (tx) => {
      await tx.query(LOCK);
      await tx.script(`create table if not exists capability_migrations (
      version integer primary key, name text not null, applied_at timestamptz not null default clock_timestamp()
    )`);
      for (const { version, name, sql } of MIGRATIONS) {
        const inserted = await tx.query(
          'insert into capability_migrations (version, name) values ($1, $2) on conflict do nothing returning version',
          [version, name],
        );
        if (inserted.length === 1) await tx.script(sql);
      }
    },
    { timeoutMs: MIGRATION_TIMEOUT_MS },
  );
}

/** What every SQL store does when it opens. Rejects when the schema is not there or older than this code. */
export async function prepareSchema(runner: SqlRunner, migrates = true): Promise<void> {
  if (migrates) await migrate(runner);
  await checkSchema(runner);
}

/** Rejects unless every table is there and the schema is at least as new as this code. */
async function checkSchema(runner: SqlRunner): Promise<void> {
  const newest = MIGRATIONS.at(-1)!.version;
  const version = await runner.query(
    `select coalesce(max(version), 0)::float8 as version from capability_migrations
     where (select count(*) from (select id from capability_approvals limit 1) a) >= 0
       and (select count(*) from (select key from capability_keys limit 1) k) >= 0
       and (select count(*) from (select seq from capability_audit limit 1) s) >= 0
       and (select count(*) from (select id from capability_tasks limit 1) t) >= 0
       and (select count(*) from (select id from capability_used_handles limit 1) h) >= 0
       and (select count(*) from (select id from capability_conversations limit 1) c) >= 0
       and (select count(*) from (select approval from capability_tool_calls limit 1) w) >= 0`,
    [],
    ([row]) => row!['version'] as number,
  );
  if (version >= newest) return;
  throw new Error(
    `The capability store's schema is at version ${version}, and this code needs ${newest}: run the migrations.`,
  );
}
