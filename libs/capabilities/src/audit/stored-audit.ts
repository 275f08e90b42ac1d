import type { AuditEvent } from './audit-event.js';
import { AuditQuery } from './audit-query.js';
import { AuditSink } from './audit-sink.js';
import type { Checkpoint } from './checkpoint.js';

/** The append-only audit of a store (port), hash-chained per tenant under a lock. */
export abstract class AuditStore extends AuditQuery {
  /** Appends one event to its tenant's chain; resolves when it is durable. */
  abstract append(event: AuditEvent): Promise<void>;
  /** Removes the rows before the checkpoint's and makes the chain start there. Needs the maintenance role. */
  abstract prune(checkpoint: Checkpoint): Promise<number>;
  /**
   * Blanks what identifies this principal id or human in at most `limit` rows, and appends the event built
   * from their sequence numbers in the same step. Returns how many were blanked. Needs the maintenance role.
   */
  abstract erase(
    tenant: string,
    subject: string,
    limit: number,
    event: (seqs: readonly number[]) => AuditEvent,
  ): Promise<number>;
}

const stored = new WeakSet<AuditEvent>();

/** Marks an event as held by the store, so that {@link StoredAudit} does not append it again. */
export function markStored(event: AuditEvent): void {
  stored.add(event);
}

/**
 * The sink that feeds the store. Events that a take, a completion or an approval's move stored in their
 * own transaction are passed over, so the pipeline may hand every event to every sink.
 */
export class StoredAudit extends AuditSink {
  constructor(private readonly store: AuditStore) {
    super();
  }

  write(event: AuditEvent): void | Promise<void> {
    if (stored.has(event)) return;
    return this.store.append(event);
  }
}
