import { executionRefusal, isUnchanged } from '../../approvals/approval-refusal.js';
import type { StoredOutcome } from '../../approvals/approval-record.js';
import { isFinal } from '../../approvals/approval-moves.js';
import type { AuditEvent } from '../../audit/audit-event.js';
import {
  CapabilityStore,
  type Claim,
  type SweepOptions,
  type SweepResult,
  type TakeRequest,
  type TakeResult,
} from '../../execution/capability-store.js';
import { DAY_MS, refusedKey } from '../../execution/take-rules.js';
import { type Clock, SystemClock } from '../../kernel/clock.js';
import { MemoryApprovals } from './memory-approvals.js';
import { MemoryAudit } from './memory-audit.js';
import { keyState, MemoryKeys } from './memory-keys.js';
import { type ApprovalRow, keyId, type KeyRow, MemoryState } from './memory-state.js';

/**
 * Everything in this process's memory, gone when it ends: for tests, demos and single-process use.
 * Keeps the same promises as the SQL store; no method waits between its check and its set.
 */
export class MemoryCapabilityStore extends CapabilityStore {
  readonly audit: MemoryAudit;
  readonly approvals: MemoryApprovals;
  readonly idempotency: MemoryKeys;
  private readonly state: MemoryState;

  /** @param options.maxAuditRows Audit rows kept for each tenant; the oldest are forgotten. Default 20 000. */
  constructor(options: { readonly clock?: Clock; readonly maxAuditRows?: number } = {}) {
    super();
    this.audit = new MemoryAudit(options.maxAuditRows ?? 20_000);
    this.state = new MemoryState(options.clock ?? new SystemClock(), this.audit);
    this.approvals = new MemoryApprovals(this.state);
    this.idempotency = new MemoryKeys(this.state);
  }

  async open(): Promise<void> {}

  async ping(): Promise<void> {}

  async take(request: TakeRequest): Promise<TakeResult> {
    const { approval, idempotency, started, executionId } = request;
    const leaseUntil = this.state.clock.now() + request.leaseMs;
    const claim: Claim = { executionId, approval, idempotency: idempotency?.scope };
    if (approval !== undefined) return this.takeApproval(request, leaseUntil);
    if (idempotency !== undefined) {
      const found = keyState(this.state.key(idempotency.scope), idempotency.inputHash);
      if (found.status !== 'absent') return refusedKey(found);
      this.state.setKey({ ...idempotency, ...NEW_KEY, claimedBy: executionId, leaseUntil });
    }
    this.audit.keep(started);
    return { status: 'taken', claim, record: undefined };
  }

  async complete(claim: Claim, outcome: StoredOutcome, event: AuditEvent): Promise<boolean> {
    this.audit.keep(event);
    const { approval, key } = this.held(claim);
    const done = outcome.status === 'unknown' ? 'unknown' : 'done';
    if (approval !== undefined) this.state.move(approval, { state: outcome.status, outcome });
    if (key !== undefined)
      this.state.setKey({ ...key, state: done, outcome: done === 'done' ? outcome : null });
    return approval !== undefined || key !== undefined || (!claim.approval && !claim.idempotency);
  }

  async release(claim: Claim, event: AuditEvent): Promise<boolean> {
    this.audit.keep(event);
    const { approval, key } = this.held(claim);
    if (approval !== undefined) this.state.move(approval, { state: 'approved', claimedBy: null }, 0);
    if (key !== undefined) {
      if (approval === undefined) this.state.keys.delete(keyId(key.scope));
      else this.state.setKey({ ...key, state: 'suspended', claimedBy: null, leaseUntil: 0 });
    }
    return approval !== undefined || key !== undefined || (!claim.approval && !claim.idempotency);
  }

  async sweep({ keysFor = DAY_MS }: SweepOptions = {}): Promise<SweepResult> {
    const before = this.state.clock.now() - keysFor;
    const result = { expired: 0, unknown: 0, keysRemoved: 0 };
    for (const row of this.state.keys.values()) {
      const key = this.state.key(row.scope)!;
      if (key.state !== row.state) result.unknown++;
      if (key.changedAt < before && this.isOver(key) && this.state.keys.delete(keyId(key.scope)))
        result.keysRemoved++;
    }
    for (const row of this.state.approvals.values()) {
      const { record } = this.state.settle(row);
      if (record.state !== row.record.state) result[record.state === 'expired' ? 'expired' : 'unknown']++;
      if (isFinal(record.state) && record.createdAt < before) this.state.approvals.delete(record.id);
    }
    for (const [coalesceKey, id] of this.state.openIds) {
      if (!this.state.approvals.has(id)) this.state.openIds.delete(coalesceKey);
    }
    return result;
  }

  /** True for a finished key, and for one whose approval will never run. */
  private isOver(key: KeyRow): boolean {
    if (key.state !== 'suspended') return key.state === 'done';
    const approval = this.state.approvals.get(key.approvalId!);
    return approval === undefined || isFinal(approval.record.state);
  }

  private takeApproval(request: TakeRequest, leaseUntil: number): TakeResult {
    const { executionId, started } = request;
    const { tenant, id } = request.approval!;
    const row = this.state.approval(tenant, id);
    if (row === undefined) return { status: 'refused', reason: 'NOT_FOUND', record: undefined };
    const { record } = row;
    if (!isUnchanged(record, request.approval!))
      return { status: 'refused', reason: 'CAPABILITY_CHANGED', record };
    if (record.state === 'pending') return { status: 'pending', record };
    const reason = executionRefusal(record.state);
    if (reason !== undefined) return { status: 'refused', reason, record };
    const moved = this.state.move(row, { state: 'claimed', claimedBy: executionId }, leaseUntil);
    const scope = record.idempotency ?? undefined;
    const key = scope === undefined ? undefined : this.state.key(scope);
    if (key !== undefined)
      this.state.setKey({ ...key, state: 'in-progress', claimedBy: executionId, leaseUntil });
    this.audit.keep(started);
    return {
      status: 'taken',
      claim: { executionId, approval: { tenant, id }, idempotency: scope },
      record: moved.record,
    };
  }

  /** The rows that this claim still holds. */
  private held(claim: Claim): { approval: ApprovalRow | undefined; key: KeyRow | undefined } {
    const { executionId } = claim;
    const approval = claim.approval && this.state.approval(claim.approval.tenant, claim.approval.id);
    const key = claim.idempotency && this.state.key(claim.idempotency);
    const { state, claimedBy } = approval?.record ?? {};
    return {
      approval: state === 'claimed' && claimedBy === executionId ? approval : undefined,
      key: key?.state === 'in-progress' && key.claimedBy === executionId ? key : undefined,
    };
  }
}

const NEW_KEY = { state: 'in-progress', approvalId: null, outcome: null } as const;
