import { abandonedEvent, expiredEvent } from '../../approvals/approval-events.js';
import type { ApprovalRecord, KeyScope } from '../../approvals/approval-record.js';
import { isUuid } from '../../kernel/ids.js';
import { APPROVAL_COLUMNS, approvalOf, overdue } from './approval-rows.js';
import type { SqlSession } from './sql-database.js';
import { type SqlRunner, type SqlTransaction, sqlNow } from './sql-runner.js';

/** Locks an approval for the rest of the transaction. Whatever is decided about it is decided after this. */
export function lockApproval(
  tx: SqlTransaction,
  tenant: string,
  id: string,
): Promise<ApprovalRecord | undefined> {
  return readApproval(tx, tenant, id, 'for update');
}

/** One approval of a tenant as it is stored; a malformed id names none. */
export async function readApproval(
  session: SqlSession,
  tenant: string,
  id: string,
  lock: '' | 'for update',
): Promise<ApprovalRecord | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await session.query(
    `select ${APPROVAL_COLUMNS} from capability_approvals where id = $1 and tenant = $2 ${lock}`,
    [id, tenant],
  );
  return row === undefined ? undefined : approvalOf(row);
}

/** Expires a locked record whose window closed, and marks an abandoned claim unknown; stores the event of it. */
export async function settleApproval(
  tx: SqlTransaction,
  runner: SqlRunner,
  record: ApprovalRecord,
): Promise<ApprovalRecord> {
  const { state } = record;
  if (state !== 'pending' && state !== 'approved' && state !== 'claimed') return record;
  const [row] = await tx.query(
    `update capability_approvals set state = case state when 'claimed' then 'unknown' else 'expired' end
     where id = $1 and ${overdue(2)} returning ${APPROVAL_COLUMNS}`,
    [record.id, runner.offset],
  );
  if (row === undefined) return record;
  const moved = approvalOf(row);
  const at = runner.clock.now();
  if (moved.state === 'unknown' && moved.idempotency !== null)
    await setKeyState(tx, runner, moved.idempotency, 'unknown', null);
  await tx.append(moved.state === 'expired' ? expiredEvent(moved, at) : abandonedEvent(moved, at));
  return moved;
}

/** Changes some columns of a locked record. `set` starts its parameters at `$2`. */
export async function updateApproval(
  tx: SqlTransaction,
  id: string,
  set: string,
  values: readonly unknown[],
): Promise<ApprovalRecord> {
  const [row] = await tx.query(
    `update capability_approvals set ${set} where id = $1 returning ${APPROVAL_COLUMNS}`,
    [id, ...values],
  );
  return approvalOf(row!);
}

/** Settles a key: `done` with an outcome, `unknown` or back to `suspended` without. */
export async function setKeyState(
  tx: SqlTransaction,
  runner: SqlRunner,
  scope: KeyScope,
  state: 'done' | 'unknown' | 'suspended',
  outcome: string | null,
): Promise<void> {
  await tx.query(
    `update capability_keys set state = $5, outcome = $6, changed_at = ${sqlNow(7)}
     where tenant = $1 and principal = $2 and capability = $3 and key = $4`,
    [...keyValues(scope), state, outcome, runner.offset],
  );
}

/** The parameters of a key's primary key, in its order. */
export function keyValues(scope: KeyScope): [string, string, string, string] {
  return [scope.tenant, scope.principal, scope.capability, scope.key];
}
