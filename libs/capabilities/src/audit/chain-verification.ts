import type { AuditQuery, AuditRow } from './audit-query.js';
import type { Checkpoint, CheckpointVerifier } from './checkpoint.js';
import { entryOf, GENESIS, rowProblem } from './hash-chain.js';

/** What verification found. */
export interface ChainReport {
  readonly ok: boolean;
  readonly tenant: string;
  /** Rows read. */
  readonly rows: number;
  /** Rows whose subject was erased. */
  readonly erased: number;
  /** The last sound row; undefined for an empty chain. */
  readonly head: { readonly seq: number; readonly hash: string } | undefined;
  /** The first unsound row. */
  readonly seq?: number;
  /** What is wrong, naming the row. */
  readonly problem?: string;
}

const BATCH = 500;

/** Walks a tenant's chain from its start. Throws only when the store cannot be read. */
export async function verifyChain(
  query: AuditQuery,
  tenant: string,
  verifier: CheckpointVerifier | undefined,
  anchored: Checkpoint | undefined,
): Promise<ChainReport> {
  const walk = new ChainWalk(tenant, verifier, await query.base(tenant), anchored);
  let from = 0;
  for (;;) {
    const rows = await query.rows(tenant, from, BATCH);
    for (const row of rows) {
      walk.step(row);
      if (walk.problem !== undefined) return walk.report();
    }
    if (rows.length < BATCH) break;
    from = rows.at(-1)!.seq + 1;
  }
  walk.end();
  return walk.report();
}

class ChainWalk {
  problem: string | undefined;
  private seq: number | undefined;
  private rows = 0;
  /** Sequence number of the first row read. */
  private start = 1;
  private head: { seq: number; hash: string } | undefined;
  private readonly blanked = new Set<number>();
  private readonly allowed = new Set<number>();
  /** The last rows that prunings removed. */
  private readonly cuts = new Set<number>();
  private anchorSeen = false;

  constructor(
    private readonly tenant: string,
    private readonly verifier: CheckpointVerifier | undefined,
    private readonly base: Checkpoint | 'forgotten' | undefined,
    private readonly anchored: Checkpoint | undefined,
  ) {}

  step(row: AuditRow): void {
    if (this.rows++ === 0) this.start = row.seq;
    const start = this.head === undefined ? this.startProblem(row) : undefined;
    const prevHash = this.head?.hash ?? (this.base === undefined ? GENESIS : row.prevHash);
    const expected = this.head === undefined ? this.firstSeq(row.seq) : this.head.seq + 1;
    const problem = start ?? rowProblem(row, prevHash, expected) ?? this.anchorProblem(row);
    if (problem !== undefined) return this.fail(expected, problem);
    this.head = { seq: row.seq, hash: row.hash };
    if (row.subject === null) this.blanked.add(row.seq);
    const { event } = entryOf(row);
    if (event.type === 'erased') for (const seq of event.rows) this.allowed.add(seq);
    if (event.type === 'pruned') this.cuts.add(event.through);
  }

  end(): void {
    for (const seq of this.blanked) {
      if (!this.allowed.has(seq)) return this.fail(seq, 'the subject was removed without an erasure');
    }
    const { anchored, base } = this;
    // Any checkpoint is validly signed: only the event of a pruning makes one the base of a chain.
    if (base !== undefined && base !== 'forgotten' && !this.cuts.has(base.seq - 1))
      return this.fail(base.seq, 'the chain starts here without a pruning, or ends before it');
    if (anchored === undefined || this.anchorSeen) return;
    if (anchored.seq < this.firstSeq(this.start)) return;
    this.fail(anchored.seq, 'an anchored checkpoint stands beyond the end of the chain');
  }

  report(): ChainReport {
    const { tenant, rows, head, problem, seq } = this;
    const found = problem === undefined ? {} : { seq, problem };
    return { ok: problem === undefined, tenant, rows, erased: this.blanked.size, head, ...found };
  }

  /** Where the chain has to start; `found` where the store forgets. */
  private firstSeq(found: number): number {
    if (this.base === 'forgotten') return found;
    return this.base?.seq ?? 1;
  }

  /** A pruned chain starts exactly at its signed base. */
  private startProblem(row: AuditRow): string | undefined {
    const { base, verifier } = this;
    if (base === undefined || base === 'forgotten') return undefined;
    if (verifier === undefined) return 'the chain was pruned, and no key is given to check its base';
    if (base.tenant !== this.tenant || !verifier.valid(base))
      return 'the base checkpoint is not validly signed';
    return row.hash === base.hash ? undefined : 'the chain does not start at its base checkpoint';
  }

  private anchorProblem(row: AuditRow): string | undefined {
    const { anchored, verifier } = this;
    if (anchored === undefined || anchored.seq !== row.seq) return undefined;
    this.anchorSeen = true;
    if (verifier?.valid(anchored) !== true) return 'the anchored checkpoint is not validly signed';
    return anchored.hash === row.hash ? undefined : 'differs from the anchored checkpoint';
  }

  private fail(seq: number, problem: string): void {
    this.seq = seq;
    this.problem = `row ${seq}: ${problem}`;
  }
}
