import type { AuditEvent } from '../../audit/audit-event.js';
import { CapabilityError } from '../../errors/capability-error.js';

interface Waiting {
  readonly event: AuditEvent;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_WAITING = 10_000;
const MAX_BATCH = 200;

/**
 * Writes events in batches: while one batch is on its way the next one gathers, so that the chain's lock is
 * taken once for many events. Order is kept. Events beyond the queue's bound are refused, not delayed for ever,
 * and so are those that came while a write failed: nobody waits for one failure after another.
 */
export class AuditBatch {
  private waiting: Waiting[] = [];
  private writing = false;

  constructor(private readonly write: (events: readonly AuditEvent[]) => Promise<void>) {}

  add(event: AuditEvent): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) {
      return Promise.reject(
        new CapabilityError('UNAVAILABLE', { cause: new Error('The audit queue is full.') }),
      );
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ event, resolve, reject });
      if (!this.writing) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.writing = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_BATCH);
      try {
        await this.write(batch.map(({ event }) => event));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of [...batch, ...this.waiting.splice(0)]) reject(error);
      }
    }
    this.writing = false;
  }
}
