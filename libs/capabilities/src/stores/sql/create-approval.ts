import type { ApprovalRecord, ApprovalRequestData } from '../../approvals/approval-record.js';
import type { CreateResult, MoveEvent } from '../../approvals/approval-store.js';
import { APPROVAL_COLUMNS, approvalOf } from './approval-rows.js';
import { keyValues, settleApproval } from './approval-statements.js';
import { type SqlRunner, type SqlTransaction, sqlNow } from './sql-runner.js';

/** Rolls the request back: its idempotency key belongs to another call. */
export class KeyTakenError extends Error {}

interface Creation {
  readonly data: ApprovalRequestData;
  readonly coalesceKey: string;
  readonly event: MoveEvent;
}

/** Each round either finds the open record or inserts; a lost insert means that one was just created. */
const ROUNDS = 5;

/** Finds the identical open approval or inserts a new one, with the key that waits on it. */
export async function createApproval(
  tx: SqlTransaction,
  runner: SqlRunner,
  creation: Creation,
): Promise<CreateResult> {
  for (let round = 0; round < ROUNDS; round++) {
    const open = await findOpen(tx, runner, creation);
    if (open !== undefined) return { status: 'open', created: false, record: open };
    const record = await insert(tx, runner, creation);
    if (record === undefined) continue;
    await suspendKey(tx, runner, creation.data);
    const event = creation.event(record);
    await tx.append(event);
    return { status: 'open', created: true, record, event };
  }
  throw new Error('The approval request could not be stored: identical requests keep opening and closing.');
}

/** The open request that the key waits on with this input, or that is identical. */
async function findOpen(
  tx: SqlTransaction,
  runner: SqlRunner,
  { data, coalesceKey }: Creation,
): Promise<ApprovalRecord | undefined> {
  const { idempotency, inputHash } = data;
  const waiting =
    idempotency === null
      ? []
      : await tx.query(
          `select ${APPROVAL_COLUMNS} from capability_approvals
           where state in ('pending', 'approved') and id = (
             select approval_id from capability_keys
             where tenant = $1 and principal = $2 and capability = $3 and key = $4
               and state = 'suspended' and input_hash = $5
           ) for update`,
          [...keyValues(idempotency), inputHash],
        );
  const found = waiting[0] ?? (await tx.query(IDENTICAL, [coalesceKey]))[0];
  if (found === undefined) return undefined;
  const record = await settleApproval(tx, runner, approvalOf(found));
  return record.state === 'expired' ? undefined : record;
}

const IDENTICAL = `select ${APPROVAL_COLUMNS} from capability_approvals
  where coalesce_key = $1 and state in ('pending', 'approved') for update`;

async function insert(
  tx: SqlTransaction,
  runner: SqlRunner,
  { data, coalesceKey }: Creation,
): Promise<ApprovalRecord | undefined> {
  const { id, tenant, capability, type, requester, decideWithin } = data;
  const [row] = await tx.query(
    `insert into capability_approvals
       (id, tenant, state, capability, type, requester, coalesce_key, request, votes, created_at, decide_by)
     select $1::uuid, $2, 'pending', $3, $4, $5, $6, $7, '[]', t.at, t.at + $9::float8 * interval '1 millisecond'
     from (select ${sqlNow(8)} as at) t
     on conflict (coalesce_key) where state in ('pending', 'approved') do nothing
     returning ${APPROVAL_COLUMNS}`,
    [
      id,
      tenant,
      capability,
      type,
      requester.human ?? requester.id,
      coalesceKey,
      JSON.stringify(data),
      runner.offset,
      decideWithin,
    ],
  );
  return row === undefined ? undefined : approvalOf(row);
}

async function suspendKey(tx: SqlTransaction, runner: SqlRunner, data: ApprovalRequestData): Promise<void> {
  if (data.idempotency === null) return;
  const inserted = await tx.query(
    `insert into capability_keys (tenant, principal, capability, key, input_hash, state, approval_id, changed_at)
     values ($1, $2, $3, $4, $5, 'suspended', $6, ${sqlNow(7)}) on conflict do nothing returning key`,
    [...keyValues(data.idempotency), data.inputHash, data.id, runner.offset],
  );
  if (inserted.length === 0) throw new KeyTakenError();
}
