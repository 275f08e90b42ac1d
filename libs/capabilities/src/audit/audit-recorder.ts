import { isPromiseLike } from '../kernel/promise-like.js';
import type { AuditEvent } from './audit-event.js';
import type { AuditSink } from './audit-sink.js';

/** Hands every event to every sink. In strict mode a sink that fails on `started` stops the write. */
export class AuditRecorder {
  constructor(
    private readonly sinks: readonly AuditSink[],
    private readonly onFault: (sink: string, error: unknown) => void,
  ) {}

  /** True when nobody listens: callers may skip building events. */
  get silent(): boolean {
    return this.sinks.length === 0;
  }

  /** Records an event; a failing sink is reported and never breaks the call. */
  record(event: AuditEvent): void {
    for (const sink of this.sinks) {
      try {
        const written = sink.write(event);
        if (isPromiseLike(written))
          written.then(undefined, (error: unknown) => this.onFault(sink.name, error));
      } catch (error) {
        this.onFault(sink.name, error);
      }
    }
  }

  /** Records an event that must be held by every sink before the caller goes on; rejects when one is not. */
  async require(event: AuditEvent): Promise<void> {
    await Promise.all(this.sinks.map(async (sink) => sink.write(event)));
  }
}
