import type { AuditEvent } from '../../audit/audit-event.js';
import type { AuditFilter, AuditPage, AuditPageRequest, AuditRow } from '../../audit/audit-query.js';
import type { Checkpoint } from '../../audit/checkpoint.js';
import { chainItem, entryOf, GENESIS, rowHash } from '../../audit/hash-chain.js';
import { AuditStore, markStored } from '../../audit/stored-audit.js';

/** The audit in memory: one array a tenant, chained as it is written. */
export class MemoryAudit extends AuditStore {
  private readonly chains = new Map<string, AuditRow[]>();
  private readonly bases = new Map<string, Checkpoint | 'forgotten'>();

  /** @param maxRows Rows kept for each tenant; the oldest are forgotten. */
  constructor(private readonly maxRows: number) {
    super();
  }

  /** Synchronous in effect: the row is there when this returns. */
  append(event: AuditEvent): Promise<void> {
    const { tenant, body, subject, commitment, columns } = chainItem(event);
    const chain = this.chain(tenant);
    const last = chain.at(-1);
    const seq = (last?.seq ?? 0) + 1;
    const prevHash = last?.hash ?? GENESIS;
    const hash = rowHash(prevHash, seq, commitment, body);
    chain.push({ tenant, seq, body, subject, commitment, prevHash, hash, columns });
    markStored(event);
    if (chain.length > this.maxRows * 1.1) {
      chain.splice(0, chain.length - this.maxRows);
      this.bases.set(tenant, 'forgotten');
    }
    return DONE;
  }

  async page(request: AuditPageRequest): Promise<AuditPage> {
    const { limit, after = 0, order = 'oldest', tenant } = request;
    const chain = this.chains.get(tenant) ?? [];
    const ordered = order === 'oldest' ? chain : chain.toReversed();
    const beyond = (row: AuditRow): boolean =>
      order === 'oldest' ? row.seq > after : after === 0 || row.seq < after;
    const found = ordered.filter((row) => beyond(row) && matches(row, request));
    const rows = found.slice(0, limit);
    return { entries: rows.map(entryOf), next: found.length > limit ? rows.at(-1)!.seq : undefined };
  }

  async rows(tenant: string, from: number, limit: number): Promise<readonly AuditRow[]> {
    return (this.chains.get(tenant) ?? []).filter((row) => row.seq >= from).slice(0, limit);
  }

  async tenants(): Promise<readonly string[]> {
    return [...this.chains.keys()].sort();
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

  private chain(tenant: string): AuditRow[] {
    let chain = this.chains.get(tenant);
    if (chain === undefined) this.chains.set(tenant, (chain = []));
    return chain;
  }
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
