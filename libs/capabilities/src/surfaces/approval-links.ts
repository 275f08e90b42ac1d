import type { ApprovalRecord } from '../approvals/approval-record.js';

/** Where a caller finds an approval: URLs by relation (`self`, `decision`, `execute`, `outcome`). */
export type LinkMaker = (record: ApprovalRecord) => Readonly<Record<string, string>>;

/** The links of approvals, filled by the surfaces that serve them. Without such a surface there are none. */
export class ApprovalLinks {
  private readonly makers: LinkMaker[] = [];

  /** Adds a surface's links; of two with the same relation the later one stands. */
  register(make: LinkMaker): void {
    this.makers.push(make);
  }

  /** Every link of an approval. */
  of(record: ApprovalRecord): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.makers.map((make) => make(record))) as Record<string, string>;
  }
}
