import type { Principal, PrincipalInput } from '../kernel/principal.js';
import type { ClientChannel } from '../contract/client-channel.js';
import type { LogLevel } from '../contract/handler-context.js';
import type { SurfaceId } from '../contract/surface.js';
import type { InlineConfirmer } from '../approvals/inline-confirmer.js';
import type { TraceParent } from '../audit/telemetry.js';

/** How progress and logs reach the caller, on surfaces that carry them. */
export interface CallChannel {
  progress?(progress: number, total?: number, message?: string): void;
  log?(level: LogLevel, data: unknown, logger?: string): void;
  /** Asks the caller's client; by ending the call with `QuestionPending` where the answer comes with another call. */
  readonly client?: ClientChannel;
}

/** Options of one call. */
export interface ExecuteOptions {
  /** The verified caller; null or ill-formed is UNAUTHENTICATED. */
  readonly principal: Principal | PrincipalInput | null;
  /** Default `'direct'`. */
  readonly surface?: SurfaceId;
  /** 1–255 visible ASCII characters. */
  readonly idempotencyKey?: string;
  /** The caller's own cancellation. */
  readonly signal?: AbortSignal;
  /** A protocol adapter's own check on the exact parsed input, before the invocation policies; a throw refuses. */
  readonly authorize?: (call: { readonly name: string; readonly input: unknown }) => void | Promise<void>;
  readonly trace?: TraceParent;
  readonly channel?: CallChannel;
  /** The transport's request object, handed to guards and the execution context as `getArgs()[0]`. */
  readonly request?: unknown;
  /**
   * Set by a surface whose route stands for this very method, and for nothing else: the router has already run
   * the application's global guards there, with the method's metadata. Default false: they run in stage 4.
   */
  readonly onRoute?: boolean;
  /** The surface that carries the answer, where it is not the call's own. Default: `surface`. */
  readonly deliveredOn?: SurfaceId;
  /** Asks the human behind the call while it waits, on surfaces that can. */
  readonly confirmer?: InlineConfirmer;
  /**
   * Awaited once nothing but the take is left, before any effect; a throw refuses the call. For callers that learn
   * whether a call waits for a human before they let it run. The deadline keeps running.
   */
  readonly beforeTake?: () => Promise<void>;
  /** Ties this call to an earlier one in the audit. Default: the execution id. */
  readonly correlationId?: string;
}

/** How a surface hands over input that is still bytes or text: called in stage 5, never before 401, 403 or 404. */
export type ReadInput = () => unknown;
