import type { KeyScope } from '../../approvals/approval-record.js';
import { resolvedOutcome } from '../../approvals/resolved-outcome.js';
import { IdempotencyStore, type KeyState } from '../../execution/idempotency-store.js';
import { outcomeOf } from './approval-rows.js';
import { keyValues } from './approval-statements.js';
import type { SqlRow } from './sql-database.js';
import { type SqlRunner, sqlNow } from './sql-runner.js';

/** A key whose lease ran out reads as unknown, whether or not somebody has written that yet. */
export function keyColumns(n: number): string {
  return (
    `input_hash, approval_id::text as approval_id, claimed_by, outcome, ` +
    `case when state = 'in-progress' and lease_until <= ${sqlNow(n)} then 'unknown' else state end as state`
  );
}

/** What a key's row means for a call with this input. Throws for a damaged row. */
export function keyStateOf(row: SqlRow | undefined, inputHash: string): KeyState {
  if (row === undefined) return { status: 'absent' };
  if (row['input_hash'] !== inputHash) return { status: 'reused' };
  const state = row['state'] as 'in-progress' | 'suspended' | 'done' | 'unknown';
  if (state === 'suspended') return { status: 'suspended', approvalId: row['approval_id'] as string };
  if (state !== 'done') return { status: state };
  return { status: 'done', outcome: outcomeOf(row['outcome']) };
}

/** Idempotency keys in SQL. */
export class SqlKeys extends IdempotencyStore {
  constructor(private readonly runner: SqlRunner) {
    super();
  }

  look(scope: KeyScope, inputHash: string): Promise<KeyState> {
    return this.runner.query(
      `select ${keyColumns(5)} from capability_keys
       where tenant = $1 and principal = $2 and capability = $3 and key = $4`,
      [...keyValues(scope), this.runner.offset],
      ([row]) => keyStateOf(row, inputHash),
    );
  }

  resolve(scope: KeyScope, outcome: 'succeeded' | 'failed'): Promise<boolean> {
    const now = sqlNow(5);
    return this.runner.query(
      `update capability_keys set state = 'done', outcome = $6, changed_at = ${now}
       where tenant = $1 and principal = $2 and capability = $3 and key = $4 and approval_id is null
         and (state = 'unknown' or (state = 'in-progress' and lease_until <= ${now})) returning key`,
      [...keyValues(scope), this.runner.offset, JSON.stringify(resolvedOutcome(outcome))],
      (rows) => rows.length === 1,
    );
  }
}
