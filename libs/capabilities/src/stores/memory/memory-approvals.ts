import type { AuditEvent } from '../../audit/audit-event.js';
import type {
  ApprovalRecord,
  ApprovalRequestData,
  ApprovalState,
  ApprovalVote,
} from '../../approvals/approval-record.js';
import {
  ApprovalStore,
  type ApprovalFilter,
  type ApprovalPage,
  type ApprovalPageRequest,
  type CreateResult,
  type MoveEvent,
  type MoveResult,
} from '../../approvals/approval-store.js';
import { resolvedOutcome } from '../../approvals/resolved-outcome.js';
import { countVote } from '../../approvals/vote-count.js';
import type { ApprovalRow, MemoryState } from './memory-state.js';

/** Approvals in memory. No method waits between its check and its set. */
export class MemoryApprovals extends ApprovalStore {
  constructor(private readonly state: MemoryState) {
    super();
  }

  async create(data: ApprovalRequestData, coalesceKey: string, event: MoveEvent): Promise<CreateResult> {
    const open = this.findWaiting(data) ?? this.findOpen(coalesceKey);
    if (open !== undefined) return { status: 'open', created: false, record: open.record };
    const { state } = this;
    if (data.idempotency !== null) {
      if (state.key(data.idempotency) !== undefined) return { status: 'key-taken' };
      const claim = { claimedBy: null, leaseUntil: 0, outcome: null };
      const { idempotency: scope, inputHash, id } = data;
      state.setKey({ scope, inputHash, state: 'suspended', approvalId: id, ...claim });
    }
    const now = state.clock.now();
    const record: ApprovalRecord = { ...data, ...NEW, createdAt: now, decideBy: now + data.decideWithin };
    state.openIds.set(coalesceKey, data.id);
    state.approvals.set(data.id, { record, position: state.nextPosition(), leaseUntil: 0 });
    return { status: 'open', created: true, record, event: this.store(event, record) };
  }

  async get(tenant: string, id: string): Promise<ApprovalRecord | undefined> {
    return this.state.approval(tenant, id)?.record;
  }

  async list(request: ApprovalPageRequest): Promise<ApprovalPage> {
    const rows = [...this.state.approvals.values()].map((row) => this.state.settle(row));
    const oldest = request.order === 'oldest';
    const after = request.cursor === undefined ? undefined : Number(request.cursor);
    const found = rows
      .filter((row) => matches(row.record, request))
      .sort((a, b) => (oldest ? a.position - b.position : b.position - a.position))
      .filter((row) => after === undefined || (oldest ? row.position > after : row.position < after));
    const page = found.slice(0, request.limit);
    const cursors = page.map((row) => String(row.position));
    return {
      records: page.map((row) => row.record),
      cursors,
      next: found.length > page.length ? cursors.at(-1) : undefined,
    };
  }

  async vote(
    tenant: string,
    id: string,
    vote: Omit<ApprovalVote, 'at'>,
    event: MoveEvent,
  ): Promise<MoveResult> {
    return this.change(tenant, id, ['pending'], event, (row) => {
      const at = this.state.clock.now();
      const count = countVote(row.record, { ...vote, at });
      if (count === undefined) return undefined;
      const executeBy = count.state === 'approved' ? at + row.record.executeWithin : null;
      return this.state.move(row, { ...count, executeBy });
    });
  }

  async cancel(tenant: string, id: string, note: string | null, event: MoveEvent): Promise<MoveResult> {
    return this.change(tenant, id, ['pending', 'approved'], event, (row) =>
      this.state.move(row, { state: 'cancelled', note }),
    );
  }

  async void(tenant: string, id: string, note: string, event: MoveEvent): Promise<MoveResult> {
    return this.change(tenant, id, ['approved'], event, (row) =>
      this.state.move(row, { state: 'void', note }),
    );
  }

  async resolve(
    tenant: string,
    id: string,
    outcome: 'succeeded' | 'failed',
    note: string | null,
    event: MoveEvent,
  ): Promise<MoveResult> {
    return this.change(tenant, id, ['unknown'], event, (row) => {
      const scope = row.record.idempotency;
      const key = scope === null ? undefined : this.state.key(scope);
      const resolved = resolvedOutcome(outcome);
      if (key !== undefined) this.state.setKey({ ...key, state: 'done', outcome: resolved });
      return this.state.move(row, { state: outcome, note, outcome: resolved });
    });
  }

  private change(
    tenant: string,
    id: string,
    from: readonly ApprovalState[],
    event: MoveEvent,
    move: (row: ApprovalRow) => ApprovalRow | undefined,
  ): MoveResult {
    const row = this.state.approval(tenant, id);
    if (row === undefined) return { status: 'not-found' };
    if (!from.includes(row.record.state)) return { status: 'refused', record: row.record };
    const moved = move(row);
    if (moved === undefined) return { status: 'duplicate', record: row.record };
    return { status: 'moved', record: moved.record, event: this.store(event, moved.record) };
  }

  private store(build: MoveEvent, record: ApprovalRecord): AuditEvent {
    const event = build(record);
    this.state.audit.keep(event);
    return event;
  }

  /** The open request that the key of this one waits on already. */
  private findWaiting({ tenant, idempotency, inputHash }: ApprovalRequestData): ApprovalRow | undefined {
    const key = idempotency === null ? undefined : this.state.key(idempotency);
    if (key?.state !== 'suspended' || key.inputHash !== inputHash) return undefined;
    const row = this.state.approval(tenant, key.approvalId!);
    return row?.record.state === 'pending' || row?.record.state === 'approved' ? row : undefined;
  }

  private findOpen(coalesceKey: string): ApprovalRow | undefined {
    const id = this.state.openIds.get(coalesceKey);
    const row = id === undefined ? undefined : this.state.approvals.get(id);
    const settled = row === undefined ? undefined : this.state.settle(row);
    const state = settled?.record.state;
    return state === 'pending' || state === 'approved' ? settled : undefined;
  }
}

const NEW = {
  state: 'pending',
  executeBy: null,
  votes: [],
  decision: null,
  claimedBy: null,
  outcome: null,
  note: null,
} as const;

function matches(record: ApprovalRecord, filter: ApprovalFilter): boolean {
  const { tenant, states, capability, type, requester } = filter;
  return (
    record.tenant === tenant &&
    (states === undefined || states.includes(record.state)) &&
    (capability === undefined || record.capability === capability) &&
    (type === undefined || record.type === type) &&
    (requester === undefined || (record.requester.human ?? record.requester.id) === requester)
  );
}
