import { APPROVAL_COLUMNS, approvalOf, overdue } from './approval-rows.js';
import { settleApproval } from './approval-statements.js';
import type { SqlRunner } from './sql-runner.js';

const BATCH = 100;

/** Moves every overdue approval of a tenant, or of all. Rows that another session holds are left to it. */
export async function settleOverdue(
  runner: SqlRunner,
  tenant: string | null,
): Promise<{ expired: number; unknown: number }> {
  const total = { expired: 0, unknown: 0 };
  const due = `($1::text is null or tenant = $1) and ${overdue(2)}`;
  const any = await runner.query(
    `select exists (select from capability_approvals where ${due}) as found`,
    [tenant, runner.offset],
    ([row]) => row!['found'] === true,
  );
  for (let more = any; more;) {
    const states = await runner.transaction(async (tx) => {
      const rows = await tx.query(
        `select ${APPROVAL_COLUMNS} from capability_approvals where ${due} limit ${BATCH} for update skip locked`,
        [tenant, runner.offset],
      );
      const settled: string[] = [];
      for (const row of rows) settled.push((await settleApproval(tx, runner, approvalOf(row))).state);
      return settled;
    });
    for (const state of states) total[state === 'unknown' ? 'unknown' : 'expired']++;
    more = states.length === BATCH;
  }
  return total;
}
