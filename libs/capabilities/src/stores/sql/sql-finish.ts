import type { StoredOutcome } from '../../approvals/approval-record.js';
import type { AuditEvent } from '../../audit/audit-event.js';
import type { Claim } from '../../execution/capability-store.js';
import { keyValues } from './approval-statements.js';
import { type SqlRunner, type SqlTransaction, sqlNow } from './sql-runner.js';

/** Stores what a claim came to, with its terminal event. False when the claim is no longer held. */
export async function complete(
  tx: SqlTransaction,
  runner: SqlRunner,
  claim: Claim,
  outcome: StoredOutcome,
  event: AuditEvent,
): Promise<boolean> {
  const text = JSON.stringify(outcome);
  const unknown = outcome.status === 'unknown';
  const held = [
    await endApproval(tx, runner, claim, `state = $4, outcome = $5`, [outcome.status, text]),
    await endKey(tx, runner, claim, `state = $7, outcome = $8`, unknown ? ['unknown', null] : ['done', text]),
  ];
  await tx.append(event);
  return held.every((end) => end !== false);
}

/** Gives a claim back: the approval is approved again, its key waits again, a plain key is free again. */
export async function release(
  tx: SqlTransaction,
  runner: SqlRunner,
  claim: Claim,
  event: AuditEvent,
): Promise<boolean> {
  // A newer identical request may have been opened meanwhile; then this record only answers by its id.
  const set = `state = 'approved', claimed_by = null, lease_until = null, coalesce_key = case when exists (
    select from capability_approvals newer
    where newer.coalesce_key = capability_approvals.coalesce_key and newer.state in ('pending', 'approved')
  ) then null else coalesce_key end`;
  const held = [await endApproval(tx, runner, claim, set, []), await freeKey(tx, runner, claim)];
  await tx.append(event);
  return held.every((end) => end !== false);
}

/** Undefined when the claim has no approval. `set` starts its parameters at `$4`. */
async function endApproval(
  tx: SqlTransaction,
  runner: SqlRunner,
  { approval, executionId }: Claim,
  set: string,
  values: readonly unknown[],
): Promise<boolean | undefined> {
  if (approval === undefined) return undefined;
  await tx.query('select from capability_approvals where id = $1 for update', [approval.id]);
  const rows = await tx.query(
    `update capability_approvals set ${set}
     where id = $1 and state = 'claimed' and claimed_by = $2 and lease_until > ${sqlNow(3)} returning id`,
    [approval.id, executionId, runner.offset, ...values],
  );
  return rows.length === 1;
}

const HELD_KEY = `tenant = $1 and principal = $2 and capability = $3 and key = $4
  and state = 'in-progress' and claimed_by = $5`;

/** Undefined when the claim has no key. `set` starts its parameters at `$7`. */
async function endKey(
  tx: SqlTransaction,
  runner: SqlRunner,
  { idempotency, executionId }: Claim,
  set: string,
  values: readonly unknown[],
): Promise<boolean | undefined> {
  if (idempotency === undefined) return undefined;
  const rows = await tx.query(
    `update capability_keys set ${set}, changed_at = ${sqlNow(6)}
     where ${HELD_KEY} and lease_until > ${sqlNow(6)} returning key`,
    [...keyValues(idempotency), executionId, runner.offset, ...values],
  );
  return rows.length === 1;
}

async function freeKey(tx: SqlTransaction, runner: SqlRunner, claim: Claim): Promise<boolean | undefined> {
  const { idempotency, approval, executionId } = claim;
  if (idempotency === undefined) return undefined;
  if (approval !== undefined) return endKey(tx, runner, claim, `state = 'suspended', claimed_by = null`, []);
  const rows = await tx.query(`delete from capability_keys where ${HELD_KEY} returning key`, [
    ...keyValues(idempotency),
    executionId,
  ]);
  return rows.length === 1;
}
