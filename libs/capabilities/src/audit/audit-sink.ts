import type { AuditEvent } from './audit-event.js';

/** Receives every audit event (port). A throw on a `started` event of a write stops the write. */
export abstract class AuditSink {
  /** Name shown in diagnostics. */
  readonly name: string = this.constructor.name;
  abstract write(event: AuditEvent): void | Promise<void>;
}
