import type { ApprovalRecord } from '../approvals/approval-record.js';

/** Makes links for an approval, by relation. */
export type LinkMaker = (record: ApprovalRecord) => Readonly<Record<string, string>>;

/** Where callers find an approval: filled at boot by the surfaces that serve approvals. */
export class ApprovalLinks {
  private readonly makers: LinkMaker[] = [];

  /** Adds links; a later surface does not replace a relation that an earlier one gave. */
  register(make: LinkMaker): void {
    this.makers.push(make);
  }

  /** Every link of an approval. */
  of(record: ApprovalRecord): Readonly<Record<string, string>> {
    return this.makers.reduceRight((links, make) => ({ ...links, ...make(record) }), {});
  }
}
