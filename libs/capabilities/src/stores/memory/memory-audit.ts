import type { AuditEvent } from '../../audit/audit-event.js';
import type { AuditFilter, AuditPage, AuditPageRequest, AuditRow } from '../../audit/audit-query.js';
import type { Checkpoint } from '../../audit/checkpoint.js';
import { chainItem, entryOf, GENESIS, rowHash } from '../../audit/hash-chain.js';
import { AuditStore, markStored } from '../../audit/stored-audit.js';

/**
 * The audit in memory: one array a tenant. Nothing outside this process can change it, so events are
 * chained when somebody reads them, and a call does not wait for hashes.
 */
export class MemoryAudit extends AuditStore {
  private readonly chains = new Map<string, AuditRow[]>();
  private readonly waiting = new Map<string, AuditEvent[]>();
  private readonly bases = new Map<string, Checkpoint | 'forgotten'>();
  /** Sequence number of the last event that was forgotten before it was chained, by tenant. */
  private readonly skipped = new Map<string, number>();

  /** @param maxRows Events kept for each tenant; the oldest are forgotten. */
  constructor(private readonly maxRows: number) {
    super();
  }

  /** Synchronous in effect: the event is there when this returns. */
  append(event: AuditEvent): Promise<void> {
    const { tenant } = event;
    const waiting = this.waiting.get(tenant);
    if (waiting === undefined) this.waiting.set(tenant, [event]);
    else if (waiting.push(event) > this.maxRows * 1.1) this.forget(tenant, waiting);
    return DONE;
  }

  /** Appends the event of a move that is stored in the same step, so that `StoredAudit` passes it over. */
  keep(event: AuditEvent): void {
    void this.append(event);
    markStored(event);
  }

  async page(request: AuditPageRequest): Promise<AuditPage> {
    const { limit, after = 0, order = 'oldest', tenant } = request;
    const chain = this.chain(tenant);
    const ordered = order === 'oldest' ? chain : chain.toReversed();
    const beyond = (row: AuditRow): boolean =>
      order === 'oldest' ? row.seq > after : after === 0 || row.seq < after;
    const found = ordered.filter((row) => beyond(row) && matches(row, request));
    const rows = found.slice(0, limit);
    return { entries: rows.map(entryOf), next: found.length > limit ? rows.at(-1)!.seq : undefined };
  }

  async rows(tenant: string, from: number, limit: number): Promise<readonly AuditRow[]> {
    return this.chain(tenant)
      .filter((row) => row.seq >= from)
      .slice(0, limit);
  }

  async tenants(): Promise<readonly string[]> {
    return [...new Set([...this.chains.keys(), ...this.waiting.keys()])].sort();
  }

  async base(tenant: string): Promise<Checkpoint | 'forgotten' | undefined> {
    return this.bases.get(tenant);
  }

  async prune(checkpoint: Checkpoint): Promise<number> {
    const chain = this.chain(checkpoint.tenant);
    const kept = chain.filter((row) => row.seq >= checkpoint.seq);
    if (kept[0]?.hash !== checkpoint.hash) throw new TypeError('The checkpoint does not match the chain.');
    this.chains.set(checkpoint.tenant, kept);
    this.bases.set(checkpoint.tenant, checkpoint);
    return chain.length - kept.length;
  }

  async erase(
    tenant: string,
    subject: string,
    limit: number,
    event: (seqs: readonly number[]) => AuditEvent,
  ): Promise<number> {
    const chain = this.chain(tenant);
    const seqs = chain
      .filter((row) => isOf(row, subject))
      .slice(0, limit)
      .map((row) => row.seq);
    if (seqs.length === 0) return 0;
    const chosen = new Set(seqs);
    for (const [index, row] of chain.entries()) {
      if (chosen.has(row.seq)) chain[index] = blank(row);
    }
    await this.append(event(seqs));
    return seqs.length;
  }

  /** Drops the oldest events of a tenant whose audit nobody reads. */
  private forget(tenant: string, waiting: AuditEvent[]): void {
    const before = this.chains.get(tenant)?.at(-1)?.seq ?? this.skipped.get(tenant) ?? 0;
    const dropped = waiting.splice(0, waiting.length - this.maxRows).length;
    this.skipped.set(tenant, before + dropped);
    this.chains.delete(tenant);
    this.bases.set(tenant, 'forgotten');
  }

  /** The tenant's chain with everything that waited. */
  private chain(tenant: string): AuditRow[] {
    let chain = this.chains.get(tenant);
    if (chain === undefined) this.chains.set(tenant, (chain = []));
    for (const event of this.waiting.get(tenant) ?? []) {
      chain.push(nextRow(chain.at(-1), this.skipped.get(tenant) ?? 0, event));
    }
    this.waiting.delete(tenant);
    if (chain.length > this.maxRows) {
      chain.splice(0, chain.length - this.maxRows);
      this.bases.set(tenant, 'forgotten');
    }
    return chain;
  }
}

function nextRow(last: AuditRow | undefined, skipped: number, event: AuditEvent): AuditRow {
  const { tenant, body, subject, commitment, columns } = chainItem(event);
  const seq = (last?.seq ?? skipped) + 1;
  const prevHash = last?.hash ?? GENESIS;
  const hash = rowHash(prevHash, seq, commitment, body);
  return { tenant, seq, body, subject, commitment, prevHash, hash, columns };
}

const DONE = Promise.resolve();

const blank = (row: AuditRow): AuditRow => ({
  ...row,
  subject: null,
  columns: { ...row.columns, principal: null, human: null },
});

const isOf = ({ columns }: AuditRow, subject: string): boolean =>
  columns.principal === subject || columns.human === subject;

function matches(row: AuditRow, filter: AuditFilter): boolean {
  const { columns } = row;
  const { types, capability, executionId, correlationId, approvalId, subject, from, to } = filter;
  return (
    (types === undefined || types.includes(columns.type as (typeof types)[number])) &&
    (capability === undefined || columns.capability === capability) &&
    (executionId === undefined || columns.executionId === executionId) &&
    (correlationId === undefined || columns.correlationId === correlationId) &&
    (approvalId === undefined || columns.approvalId === approvalId) &&
    (subject === undefined || isOf(row, subject)) &&
    (from === undefined || columns.at >= from) &&
    (to === undefined || columns.at < to)
  );
}
