import type { ApprovalRecord, KeyScope } from '../../approvals/approval-record.js';
import { executionRefusal, isUnchanged } from '../../approvals/approval-refusal.js';
import type { Claim, TakeRequest, TakeResult } from '../../execution/capability-store.js';
import { refusedKey } from '../../execution/take-rules.js';
import { APPROVAL_COLUMNS, approvalOf } from './approval-rows.js';
import { keyValues, lockApproval, readApproval, settleApproval } from './approval-statements.js';
import type { KeyState } from '../../execution/idempotency-store.js';
import type { SqlSession } from './sql-database.js';
import { keyColumns, keyStateOf } from './sql-keys.js';
import { type SqlRunner, type SqlTransaction, sqlNow } from './sql-runner.js';

/** Claims the approval or the key and stores `started`, in the caller's transaction. */
export async function take(tx: SqlTransaction, runner: SqlRunner, request: TakeRequest): Promise<TakeResult> {
  const { executionId, idempotency, started } = request;
  if (request.approval !== undefined) return takeApproval(tx, runner, request);
  if (idempotency !== undefined) {
    const refused = await takeKey(tx, runner, request, idempotency);
    if (refused !== undefined) return refused;
  }
  await tx.append(started);
  const claim: Claim = { executionId, approval: undefined, idempotency: idempotency?.scope };
  return { status: 'taken', claim, record: undefined };
}

/** One read spares the losers of a race a transaction each; only the transaction decides who wins. */
export async function lostAlready(
  session: SqlSession,
  runner: SqlRunner,
  { approval, idempotency }: TakeRequest,
): Promise<TakeResult | undefined> {
  if (approval !== undefined) {
    const record = await readApproval(session, approval.tenant, approval.id, '');
    const reason = record === undefined ? undefined : executionRefusal(record.state);
    return reason === undefined ? undefined : { status: 'refused', reason, record };
  }
  if (idempotency === undefined) return undefined;
  const found = await readKey(session, runner, idempotency);
  return found.status === 'absent' ? undefined : refusedKey(found);
}

async function takeApproval(
  tx: SqlTransaction,
  runner: SqlRunner,
  request: TakeRequest,
): Promise<TakeResult> {
  const { executionId, started } = request;
  const { tenant, id } = request.approval!;
  const locked = await lockApproval(tx, tenant, id);
  if (locked === undefined) return { status: 'refused', reason: 'NOT_FOUND', record: undefined };
  if (!isUnchanged(locked, request.approval!))
    return { status: 'refused', reason: 'CAPABILITY_CHANGED', record: locked };
  const record = await claimApproval(tx, runner, request);
  if (record === undefined) return notClaimed(await settleApproval(tx, runner, locked));
  const scope = record.idempotency ?? undefined;
  if (scope !== undefined) await resumeKey(tx, runner, scope, request);
  await tx.append(started);
  return { status: 'taken', claim: { executionId, approval: { tenant, id }, idempotency: scope }, record };
}

/** The one statement that consumes an approval. The row is locked, so the time it compares is the time it is taken. */
async function claimApproval(
  tx: SqlTransaction,
  runner: SqlRunner,
  { approval, executionId, leaseMs }: TakeRequest,
): Promise<ApprovalRecord | undefined> {
  const [row] = await tx.query(
    `update capability_approvals
     set state = 'claimed', claimed_by = $2, lease_until = ${sqlNow(3)} + $4::float8 * interval '1 millisecond'
     where id = $1 and state = 'approved' and execute_by > ${sqlNow(3)}
     returning ${APPROVAL_COLUMNS}`,
    [approval!.id, executionId, runner.offset, leaseMs],
  );
  return row === undefined ? undefined : approvalOf(row);
}

function notClaimed(record: ApprovalRecord): TakeResult {
  if (record.state === 'pending') return { status: 'pending', record };
  return { status: 'refused', reason: executionRefusal(record.state) ?? 'EXPIRED', record };
}

/** Inserts the key, or tells what it stands for already. */
async function takeKey(
  tx: SqlTransaction,
  runner: SqlRunner,
  { executionId, leaseMs }: TakeRequest,
  { scope, inputHash }: NonNullable<TakeRequest['idempotency']>,
): Promise<TakeResult | undefined> {
  const now = sqlNow(6);
  const inserted = await tx.query(
    `insert into capability_keys
       (tenant, principal, capability, key, input_hash, state, claimed_by, changed_at, lease_until)
     values ($1, $2, $3, $4, $5, 'in-progress', $7, ${now}, ${now} + $8::float8 * interval '1 millisecond')
     on conflict do nothing returning key`,
    [...keyValues(scope), inputHash, runner.offset, executionId, leaseMs],
  );
  if (inserted.length === 1) return undefined;
  const found = await readKey(tx, runner, { scope, inputHash });
  // The winner released it in between: nothing ran, so the caller may come again.
  return found.status === 'absent' ? refusedKey({ status: 'in-progress' }) : refusedKey(found);
}

async function readKey(
  session: SqlSession,
  runner: SqlRunner,
  { scope, inputHash }: NonNullable<TakeRequest['idempotency']>,
): Promise<KeyState> {
  const [row] = await session.query(
    `select ${keyColumns(5)} from capability_keys
     where tenant = $1 and principal = $2 and capability = $3 and key = $4`,
    [...keyValues(scope), runner.offset],
  );
  return keyStateOf(row, inputHash);
}

/** The key that waited on the approval runs with it. */
async function resumeKey(
  tx: SqlTransaction,
  runner: SqlRunner,
  scope: KeyScope,
  request: TakeRequest,
): Promise<void> {
  const now = sqlNow(6);
  await tx.query(
    `update capability_keys
     set state = 'in-progress', claimed_by = $5, changed_at = ${now},
         lease_until = ${now} + $7::float8 * interval '1 millisecond'
     where tenant = $1 and principal = $2 and capability = $3 and key = $4 and state = 'suspended'`,
    [...keyValues(scope), request.executionId, runner.offset, request.leaseMs],
  );
}
