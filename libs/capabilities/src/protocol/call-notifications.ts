import type { ClientChannel } from '../contract/client-channel.js';
import type { LogLevel } from '../contract/handler-context.js';
import type { CallChannel } from '../execution/execution-request.js';
import type { CallSite } from './call-site.js';
import { reaches } from './request-meta.js';

/**
 * Progress and log messages of one call, on the stream of its request. Progress needs the caller's token and
 * grows with each message; messages need the caller's wish. Nothing is sent after `close()`.
 */
export class CallNotifications implements CallChannel {
  private last = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(
    private readonly site: CallSite,
    readonly client: ClientChannel | undefined,
  ) {}

  progress(progress: number, total?: number, message?: string): void {
    const { progressToken } = this.site.meta;
    if (this.closed || progressToken === undefined || !Number.isFinite(progress) || progress <= this.last)
      return;
    this.last = progress;
    this.site.notify('notifications/progress', {
      progressToken,
      progress,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
    });
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.site.meta;
    if (this.closed || logLevel === undefined || !reaches(level, logLevel)) return;
    try {
      this.site.notify('notifications/message', { level, ...(logger === undefined ? {} : { logger }), data });
    } catch {
      // What JSON cannot hold is not logged; a log line must not fail the call.
    }
  }

  close(): void {
    this.closed = true;
  }
}
