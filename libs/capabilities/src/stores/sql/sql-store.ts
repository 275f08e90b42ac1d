import type { StoredOutcome } from '../../approvals/approval-record.js';
import type { AuditEvent } from '../../audit/audit-event.js';
import {
  CapabilityStore,
  type Claim,
  type SweepOptions,
  type SweepResult,
  type TakeRequest,
  type TakeResult,
} from '../../execution/capability-store.js';
import { DAY_MS } from '../../execution/take-rules.js';
import { type Clock, SystemClock } from '../../kernel/clock.js';
import { prepareSchema } from './migrate.js';
import { settleEverywhere } from './settle-overdue.js';
import { SqlApprovals } from './sql-approvals.js';
import { SqlAudit } from './sql-audit.js';
import type { SqlDatabase } from './sql-database.js';
import { complete, release } from './sql-finish.js';
import { SqlKeys } from './sql-keys.js';
import { SqlRunner, sqlNow } from './sql-runner.js';
import { lostAlready, take } from './sql-take.js';

export interface SqlStoreOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Apply migrations when the store opens. Default true; false for a role that may not create tables. */
  readonly migrate?: boolean;
}

/** Approvals, idempotency keys and audit in PostgreSQL or PGlite, through one dialect. */
export class SqlCapabilityStore extends CapabilityStore {
  readonly approvals: SqlApprovals;
  readonly idempotency: SqlKeys;
  readonly audit: SqlAudit;
  private readonly runner: SqlRunner;

  constructor(
    database: SqlDatabase,
    private readonly options: SqlStoreOptions = {},
  ) {
    super();
    this.runner = new SqlRunner(database, options.clock ?? new SystemClock());
    this.approvals = new SqlApprovals(this.runner);
    this.idempotency = new SqlKeys(this.runner);
    this.audit = new SqlAudit(this.runner);
  }

  open(): Promise<void> {
    return prepareSchema(this.runner, this.options.migrate);
  }

  ping(): Promise<void> {
    return this.runner.query('select 1', [], () => undefined);
  }

  take(request: TakeRequest): Promise<TakeResult> {
    return this.runner.transaction((tx) => take(tx, this.runner, request), {
      before: (session) => lostAlready(session, this.runner, request),
    });
  }

  complete(claim: Claim, outcome: StoredOutcome, event: AuditEvent): Promise<boolean> {
    return this.runner.transaction((tx) => complete(tx, this.runner, claim, outcome, event));
  }

  release(claim: Claim, event: AuditEvent): Promise<boolean> {
    return this.runner.transaction((tx) => release(tx, this.runner, claim, event));
  }

  async sweep({ keysFor = DAY_MS }: SweepOptions = {}): Promise<SweepResult> {
    const { offset } = this.runner;
    const settled = await settleEverywhere(this.runner);
    const abandoned = await this.runner.query(
      `update capability_keys set state = 'unknown', changed_at = ${sqlNow(1)}
       where state = 'in-progress' and approval_id is null and lease_until <= ${sqlNow(1)} returning key`,
      [offset],
      (rows) => rows.length,
    );
    const keysRemoved = await this.runner.query(
      `delete from capability_keys where changed_at < ${sqlNow(1)} - $2::float8 * interval '1 millisecond'
         and (state = 'done' or (state = 'suspended' and exists (
           select from capability_approvals a
           where a.id = approval_id and a.state in ('denied', 'expired', 'cancelled', 'void')
         ))) returning key`,
      [offset, keysFor],
      (rows) => rows.length,
    );
    if (settled.fault !== undefined) throw settled.fault;
    return { expired: settled.expired, unknown: settled.unknown + abandoned, keysRemoved };
  }
}
