import { APPROVAL_COLUMNS, approvalOf, overdue } from './approval-rows.js';
import { settleApproval } from './approval-statements.js';
import type { SqlRunner } from './sql-runner.js';

/** Approvals settled in one transaction: few enough that it ends in time on a slow network. */
const BATCH = 20;

/** How many approvals moved, and where to. */
export interface Settled {
  expired: number;
  unknown: number;
}

/** Moves every overdue approval of a tenant. Rows that another session holds are left to it. */
export async function settleOverdue(runner: SqlRunner, tenant: string): Promise<Settled> {
  const total: Settled = { expired: 0, unknown: 0 };
  const due = `tenant = $1 and ${overdue(2)}`;
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

/**
 * Moves every overdue approval, one tenant after the other: no transaction holds the audit locks of two, and a
 * damaged row of one holds up no other. `fault` is the first that one of them met.
 */
export async function settleEverywhere(runner: SqlRunner): Promise<Settled & { fault: unknown }> {
  const total = { expired: 0, unknown: 0, fault: undefined as unknown };
  const tenants = await runner.query(
    `select distinct tenant from capability_approvals where ${overdue(1)}`,
    [runner.offset],
    (rows) => rows.map((row) => row['tenant'] as string),
  );
  for (const tenant of tenants) {
    try {
      const { expired, unknown } = await settleOverdue(runner, tenant);
      total.expired += expired;
      total.unknown += unknown;
    } catch (error) {
      total.fault ??= error;
    }
  }
  return total;
}
