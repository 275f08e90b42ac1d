import { type TaskRecord, TaskStore } from '../../execution/task-store.js';
import { SystemClock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import { prepareSchema } from './migrate.js';
import { removeExpired } from './remove-expired.js';
import type { SqlDatabase } from './sql-database.js';
import { SqlRunner, sqlNow } from './sql-runner.js';
import type { SqlStoreOptions } from './sql-store.js';

/**
 * MCP tasks in PostgreSQL or PGlite: every instance on the database serves them, and they survive a restart.
 * Tasks whose time is over are removed when others are created. Every method throws `CapabilityError` UNAVAILABLE
 * when the database does not answer.
 */
export class SqlTaskStore extends TaskStore {
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

  create(record: TaskRecord): Promise<void> {
    const { taskId, owner, version, ttlMs } = record;
    return this.runner.query(
      `with over as (${removeExpired('capability_tasks', 1)})
       insert into capability_tasks (id, owner, version, record, expires_at)
       values ($2, $3, $4, $5, ${sqlNow(1)} + $6::float8 * interval '1 millisecond')`,
      [this.runner.offset, taskId, owner, version, JSON.stringify(record), ttlMs],
      () => undefined,
    );
  }

  async find(owner: string, taskId: string): Promise<TaskRecord | undefined> {
    if (!isUuid(taskId)) return undefined;
    return this.runner.query(
      `select record from capability_tasks where id = $1 and owner = $2 and expires_at > ${sqlNow(3)}`,
      [taskId, owner, this.runner.offset],
      ([row]) => (row === undefined ? undefined : (JSON.parse(row['record'] as string) as TaskRecord)),
    );
  }

  replace(record: TaskRecord, expected: number): Promise<boolean> {
    const { taskId, owner, version } = record;
    return this.runner.query(
      `update capability_tasks set version = $4, record = $5
       where id = $1 and owner = $2 and version = $3 and expires_at > ${sqlNow(6)} returning id`,
      [taskId, owner, expected, version, JSON.stringify(record), this.runner.offset],
      (rows) => rows.length === 1,
    );
  }
}
