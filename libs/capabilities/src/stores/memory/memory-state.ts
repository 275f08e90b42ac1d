import { abandonedEvent, expiredEvent } from '../../approvals/approval-events.js';
import type { ApprovalRecord, KeyScope, StoredOutcome } from '../../approvals/approval-record.js';
import { canMove } from '../../approvals/approval-moves.js';
import type { Clock } from '../../kernel/clock.js';
import type { MemoryAudit } from './memory-audit.js';

/** An approval with what only the store needs. */
export interface ApprovalRow {
  readonly record: ApprovalRecord;
  /** Order of creation, for paging. */
  readonly position: number;
  /** End of the claim's lease, milliseconds since the epoch. */
  readonly leaseUntil: number;
}

export interface KeyRow {
  readonly scope: KeyScope;
  readonly inputHash: string;
  readonly state: 'in-progress' | 'suspended' | 'done' | 'unknown';
  readonly approvalId: string | null;
  readonly claimedBy: string | null;
  readonly leaseUntil: number;
  readonly outcome: StoredOutcome | null;
  readonly changedAt: number;
}

/** What the memory store holds. Every method is synchronous: nothing can come between a check and a set. */
export class MemoryState {
  readonly approvals = new Map<string, ApprovalRow>();
  /** Coalesce key → the latest request with it. */
  readonly openIds = new Map<string, string>();
  readonly keys = new Map<string, KeyRow>();
  private positions = 0;

  constructor(
    readonly clock: Clock,
    readonly audit: MemoryAudit,
  ) {}

  nextPosition(): number {
    return ++this.positions;
  }

  /** The approval of that tenant, after the moves that time alone makes. */
  approval(tenant: string, id: string): ApprovalRow | undefined {
    const row = this.approvals.get(id);
    return row === undefined || row.record.tenant !== tenant ? undefined : this.settle(row);
  }

  key(scope: KeyScope): KeyRow | undefined {
    const row = this.keys.get(keyId(scope));
    if (row === undefined || row.state !== 'in-progress' || row.leaseUntil > this.clock.now()) return row;
    return this.setKey({ ...row, state: 'unknown' });
  }

  setKey(row: Omit<KeyRow, 'changedAt'>): KeyRow {
    const changed: KeyRow = { ...row, changedAt: this.clock.now() };
    this.keys.set(keyId(row.scope), changed);
    return changed;
  }

  /** The one way an approval changes; an illegal move is a fault of the store. */
  move(row: ApprovalRow, change: Partial<ApprovalRecord>, leaseUntil = row.leaseUntil): ApprovalRow {
    const from = row.record.state;
    const to = change.state ?? from;
    if (to !== from && !canMove(from, to))
      throw new TypeError(`An approval cannot go from ${from} to ${to}.`);
    const moved: ApprovalRow = { ...row, record: { ...row.record, ...change }, leaseUntil };
    this.approvals.set(row.record.id, moved);
    return moved;
  }

  /** Expires an overdue record, and marks an abandoned claim unknown. */
  settle(row: ApprovalRow): ApprovalRow {
    const now = this.clock.now();
    const { record } = row;
    if (isOverdue(record, now)) {
      const moved = this.move(row, { state: 'expired' });
      this.audit.keep(expiredEvent(moved.record, now));
      return moved;
    }
    if (record.state !== 'claimed' || row.leaseUntil > now) return row;
    const moved = this.move(row, { state: 'unknown' });
    const key = record.idempotency === null ? undefined : this.keys.get(keyId(record.idempotency));
    if (key !== undefined) this.setKey({ ...key, state: 'unknown' });
    this.audit.keep(abandonedEvent(moved.record, now));
    return moved;
  }
}

function isOverdue(record: ApprovalRecord, now: number): boolean {
  if (record.state === 'pending') return record.decideBy <= now;
  return record.state === 'approved' && record.executeBy! <= now;
}

/** A key's name in the map of keys. */
export function keyId(scope: KeyScope): string {
  return JSON.stringify([scope.tenant, scope.principal, scope.capability, scope.key]);
}
