import type { LogLevel } from '../contract/handler-context.js';

/** The client of an earlier revision, as its `initialize` described it. */
export interface LegacyPeer {
  /** Scope of the peer's request ids and of its log level. */
  readonly sessionId: string;
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
}

/** Session state that a stateless server may lose: log levels, by session. */
export class SessionLogLevels {
  private readonly levels = new Map<string, LogLevel>();

  /** `capacity`: sessions remembered; the oldest is forgotten first. */
  constructor(private readonly capacity = 10_000) {}

  set(sessionId: string, level: LogLevel): void {
    this.levels.delete(sessionId);
    this.levels.set(sessionId, level);
    if (this.levels.size <= this.capacity) return;
    const oldest = this.levels.keys().next();
    if (oldest.done !== true) this.levels.delete(oldest.value);
  }

  /** Default `info`. */
  get(sessionId: string | undefined): LogLevel {
    return (sessionId === undefined ? undefined : this.levels.get(sessionId)) ?? 'info';
  }
}
