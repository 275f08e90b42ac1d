import type { AuditEvent, AuditEventType } from './audit-event.js';
import type { Checkpoint } from './checkpoint.js';

export interface AuditFilter {
  readonly tenant: string;
  readonly types?: readonly AuditEventType[];
  readonly capability?: string;
  readonly executionId?: string;
  readonly correlationId?: string;
  readonly approvalId?: string;
  /** Events of this principal id or human; erased subjects no longer match. */
  readonly subject?: string;
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number;
  /** Milliseconds since the epoch, exclusive. */
  readonly to?: number;
}

export interface AuditPageRequest extends AuditFilter {
  /** At most this many events, 1–1000. */
  readonly limit: number;
  /** Only events after this sequence number; 0 starts at the beginning. */
  readonly after?: number;
  /** Default `'oldest'`. With `'newest'`, `after` means before. */
  readonly order?: 'oldest' | 'newest';
}

/** A stored event. `event.principal` is null and `erased` true once its subject was erased. */
export interface AuditEntry {
  readonly seq: number;
  readonly event: AuditEvent;
  readonly erased: boolean;
  readonly hash: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** `after` of the next page; undefined on the last one. */
  readonly next: number | undefined;
}

/** One row of a tenant's hash chain exactly as stored, for verification and export. */
export interface AuditRow {
  readonly tenant: string;
  readonly seq: number;
  /** Canonical JSON of the event without what identifies a person. */
  readonly body: string;
  /** Canonical JSON of what identifies a person, salted; null once erased. */
  readonly subject: string | null;
  /** Hash of the subject text; stays when the text is erased. */
  readonly commitment: string;
  readonly prevHash: string;
  readonly hash: string;
  /** The searchable copies of the body, compared with it by verification. */
  readonly columns: AuditColumns;
}

export interface AuditColumns {
  readonly at: number;
  readonly type: string;
  readonly capability: string;
  readonly executionId: string;
  readonly correlationId: string;
  readonly approvalId: string | null;
  readonly outcome: string | null;
  readonly principal: string | null;
  readonly human: string | null;
}

/** Reads the audit (port). */
export abstract class AuditQuery {
  abstract page(request: AuditPageRequest): Promise<AuditPage>;
  /** Raw rows in sequence order, from `from` on. */
  abstract rows(tenant: string, from: number, limit: number): Promise<readonly AuditRow[]>;
  /** Tenants that have events. */
  abstract tenants(): Promise<readonly string[]>;
  /**
   * The signed checkpoint at which a pruned chain now starts; undefined when nothing was pruned. `'forgotten'` of a
   * store that keeps only its latest rows: the chain starts wherever it now starts.
   */
  abstract base(tenant: string): Promise<Checkpoint | 'forgotten' | undefined>;
}
