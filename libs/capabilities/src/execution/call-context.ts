import { CapabilityFailure } from '../contract/capability-failure.js';
import type { ClientChannel, ElicitAnswer, ElicitForm, ElicitUrl } from '../contract/client-channel.js';
import type { HandlerContext, LogLevel } from '../contract/handler-context.js';
import type { SurfaceId } from '../contract/surface.js';
import type { Principal } from '../kernel/principal.js';
import type { CallSignal } from './call-signal.js';
import type { CallChannel } from './execution-request.js';
import { PausedClient } from './paused-client.js';

/** The handler's context: getters over one call, so that what nobody asks for is never made. */
export class CallContext implements HandlerContext<unknown, unknown> {
  constructor(
    readonly principal: Principal,
    readonly surface: SurfaceId,
    readonly executionId: string,
    readonly context: unknown,
    readonly idempotencyKey: string | undefined,
    readonly approval: { readonly approvalId: string } | undefined,
    private readonly call: CallSignal,
    private readonly channel: CallChannel | undefined,
  ) {}

  get user(): unknown {
    return this.principal.user;
  }

  get signal(): AbortSignal {
    return this.call.signal;
  }

  progress(progress: number, total?: number, message?: string): void {
    this.channel?.progress?.(progress, total, message);
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    this.channel?.log?.(level, data, logger);
  }

  get client(): ClientChannel | undefined {
    const client = this.channel?.client;
    return client === undefined ? undefined : new PausedClient(client, this.call);
  }

  get elicit(): ((request: ElicitForm | ElicitUrl, key?: string) => Promise<ElicitAnswer>) | undefined {
    const client = this.client;
    return client === undefined ? undefined : (request, key) => client.elicit(request, key);
  }

  fail(tag: string, fields: Readonly<Record<string, unknown>> = {}): never {
    throw new CapabilityFailure(tag, fields);
  }
}
