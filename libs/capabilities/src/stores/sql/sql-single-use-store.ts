import { SingleUseStore } from '../../execution/single-use-store.js';
import { SystemClock } from '../../kernel/clock.js';
import { prepareSchema } from './migrate.js';
import { removeExpired } from './remove-expired.js';
import type { SqlDatabase } from './sql-database.js';
import { SqlRunner, sqlNow } from './sql-runner.js';
import type { SqlStoreOptions } from './sql-store.js';

/**
 * Used one-time handles in PostgreSQL or PGlite: one winner among all instances on the database. Throws
 * `CapabilityError` UNAVAILABLE when the database does not answer, and then nobody has won.
 */
export class SqlSingleUseStore extends SingleUseStore {
  private readonly runner: SqlRunner;

  constructor(
    database: SqlDatabase,
    private readonly options: SqlStoreOptions = {},
  ) {
    super();
    this.runner = new SqlRunner(database, options.clock ?? new SystemClock());
  }

  open(): Promise<void> {
    return prepareSchema(this.runner, this.options.migrate);
  }

  consume(id: string, keepMs: number): Promise<boolean> {
    return this.runner.query(
      `with over as (${removeExpired('capability_used_handles', 1)})
       insert into capability_used_handles (id, expires_at)
       values ($2, ${sqlNow(1)} + $3::float8 * interval '1 millisecond') on conflict (id) do nothing returning id`,
      [this.runner.offset, id, keepMs],
      (rows) => rows.length === 1,
    );
  }
}
