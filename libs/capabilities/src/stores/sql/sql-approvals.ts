import type {
  ApprovalRecord,
  ApprovalRequestData,
  ApprovalState,
  ApprovalVote,
} from '../../approvals/approval-record.js';
import {
  ApprovalStore,
  type ApprovalPage,
  type ApprovalPageRequest,
  type CreateResult,
  type MoveEvent,
  type MoveResult,
} from '../../approvals/approval-store.js';
import { resolvedOutcome } from '../../approvals/resolved-outcome.js';
import { countVote } from '../../approvals/vote-count.js';
import { isUuid } from '../../kernel/ids.js';
import { APPROVAL_COLUMNS, approvalOf, overdue, toFilter, toNullable } from './approval-rows.js';
import { lockApproval, setKeyState, settleApproval, updateApproval } from './approval-statements.js';
import { createApproval, KeyTakenError } from './create-approval.js';
import { type SqlRunner, type SqlTransaction, sqlNow } from './sql-runner.js';
import { settleOverdue } from './settle-overdue.js';

/** Approvals in SQL. Every move locks its row first and lets the database compare the time. */
export class SqlApprovals extends ApprovalStore {
  constructor(private readonly runner: SqlRunner) {
    super();
  }

  async create(data: ApprovalRequestData, coalesceKey: string, event: MoveEvent): Promise<CreateResult> {
    try {
      return await this.runner.transaction((tx) =>
        createApproval(tx, this.runner, { data, coalesceKey, event }),
      );
    } catch (error) {
      if (error instanceof Error && error.cause instanceof KeyTakenError) return { status: 'key-taken' };
      throw error;
    }
  }

  async get(tenant: string, id: string): Promise<ApprovalRecord | undefined> {
    if (!isUuid(id)) return undefined;
    const found = await this.runner.query(
      `select ${APPROVAL_COLUMNS}, ${overdue(3)} as overdue from capability_approvals where id = $1 and tenant = $2`,
      [id, tenant, this.runner.offset],
      ([row]) =>
        row === undefined ? undefined : { record: approvalOf(row), overdue: row['overdue'] === true },
    );
    if (found?.overdue !== true) return found?.record;
    return this.runner.transaction(async (tx) => {
      const record = await lockApproval(tx, tenant, id);
      return record === undefined ? undefined : settleApproval(tx, this.runner, record);
    });
  }

  async list(request: ApprovalPageRequest): Promise<ApprovalPage> {
    const { tenant, states, capability, type, requester, limit } = request;
    await settleOverdue(this.runner, tenant);
    const oldest = request.order === 'oldest';
    const after = request.cursor !== undefined && /^\d{1,18}$/.test(request.cursor) ? request.cursor : null;
    return this.runner.query(
      `select ${APPROVAL_COLUMNS} from capability_approvals
       where tenant = $1
         and ($2::text is null or state in (select json_array_elements_text($2::json)))
         and ($3::text is null or capability = $3)
         and ($4::text is null or type = $4)
         and ($5::text is null or requester = $5)
         and ($6::bigint is null or position ${oldest ? '>' : '<'} $6::bigint)
       order by capability_approvals.position ${oldest ? 'asc' : 'desc'} limit $7`,
      [tenant, toNullable(states ?? null), ...[capability, type, requester].map(toFilter), after, limit + 1],
      (rows) => {
        const page = rows.slice(0, limit);
        const cursors = page.map((row) => row['position'] as string);
        return {
          records: page.map(approvalOf),
          cursors,
          next: rows.length > limit ? cursors.at(-1) : undefined,
        };
      },
    );
  }

  vote(tenant: string, id: string, vote: Omit<ApprovalVote, 'at'>, event: MoveEvent): Promise<MoveResult> {
    return this.change(tenant, id, ['pending'], event, async (tx, record) => {
      const { offset } = this.runner;
      const [time] = await tx.query(`select (extract(epoch from ${sqlNow(1)}) * 1000)::float8 as at`, [
        offset,
      ]);
      const count = countVote(record, { ...vote, at: Math.round(time!['at'] as number) });
      if (count === undefined) return undefined;
      const executeWithin = count.state === 'approved' ? record.executeWithin : null;
      return updateApproval(
        tx,
        id,
        `state = $2, votes = $3, decision = $4, execute_by = ${sqlNow(5)} + $6::float8 * interval '1 millisecond'`,
        [count.state, JSON.stringify(count.votes), toNullable(count.decision), offset, executeWithin],
      );
    });
  }

  cancel(tenant: string, id: string, note: string | null, event: MoveEvent): Promise<MoveResult> {
    return this.change(tenant, id, ['pending', 'approved'], event, (tx) =>
      updateApproval(tx, id, `state = 'cancelled', note = $2`, [toNullable(note)]),
    );
  }

  void(tenant: string, id: string, note: string, event: MoveEvent): Promise<MoveResult> {
    return this.change(tenant, id, ['approved'], event, (tx) =>
      updateApproval(tx, id, `state = 'void', note = $2`, [toNullable(note)]),
    );
  }

  resolve(
    tenant: string,
    id: string,
    outcome: 'succeeded' | 'failed',
    note: string | null,
    event: MoveEvent,
  ): Promise<MoveResult> {
    return this.change(tenant, id, ['unknown'], event, async (tx, record) => {
      const resolved = JSON.stringify(resolvedOutcome(outcome));
      if (record.idempotency !== null)
        await setKeyState(tx, this.runner, record.idempotency, 'done', resolved);
      const values = [outcome, toNullable(note), resolved];
      return updateApproval(tx, id, 'state = $2, note = $3, outcome = $4', values);
    });
  }

  /** Lock, let time pass, check the state, move, store the event: one transaction, one winner. */
  private change(
    tenant: string,
    id: string,
    from: readonly ApprovalState[],
    event: MoveEvent,
    move: (tx: SqlTransaction, record: ApprovalRecord) => Promise<ApprovalRecord | undefined>,
  ): Promise<MoveResult> {
    return this.runner.transaction(async (tx): Promise<MoveResult> => {
      const locked = await lockApproval(tx, tenant, id);
      if (locked === undefined) return { status: 'not-found' };
      const record = await settleApproval(tx, this.runner, locked);
      if (!from.includes(record.state)) return { status: 'refused', record };
      const moved = await move(tx, record);
      if (moved === undefined) return { status: 'duplicate', record };
      const happened = event(moved);
      await tx.append(happened);
      return { status: 'moved', record: moved, event: happened };
    });
  }
}
