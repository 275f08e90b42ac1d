import { isPromiseLike } from '../kernel/promise-like.js';
import type { SpanStart, Telemetry, TelemetrySpan } from './telemetry.js';

type OnFault = (error: unknown) => void;

/** Starts a span that cannot change the call: its faults go to `onFault`. Undefined where there is none. */
export function startSpan(
  telemetry: Telemetry | undefined,
  start: SpanStart,
  onFault: OnFault,
): TelemetrySpan | undefined {
  if (telemetry === undefined) return undefined;
  try {
    return new GuardedSpan(telemetry.start(start), onFault);
  } catch (error) {
    onFault(error);
    return undefined;
  }
}

type Done<T> = { readonly result: T } | { readonly thrown: unknown };

function settled<T>(done: Done<T>): T {
  if ('thrown' in done) throw done.thrown;
  return done.result;
}

class GuardedSpan implements TelemetrySpan {
  readonly traceId?: string;

  constructor(
    private readonly span: TelemetrySpan,
    private readonly onFault: OnFault,
  ) {
    const { traceId } = span;
    if (traceId !== undefined) this.traceId = traceId;
  }

  /** The work runs once and its result counts, whatever the span does around it. Work that throws, throws. */
  run<T>(work: () => T): T {
    let done: Done<T> | undefined;
    const once = (): T => {
      if (done !== undefined) return settled(done);
      try {
        const result = work();
        done = { result };
        return result;
      } catch (thrown) {
        done = { thrown };
        throw thrown;
      }
    };
    try {
      const returned: unknown = this.span.run(once);
      // A promise derived from the work's own: what it rejects with is answered by the call.
      if (isPromiseLike(returned)) returned.then(undefined, () => undefined);
    } catch (error) {
      if (done === undefined || 'result' in done) this.onFault(error);
    }
    return once();
  }

  end(result: Parameters<TelemetrySpan['end']>[0]): void {
    try {
      const ended: unknown = this.span.end(result);
      if (isPromiseLike(ended)) ended.then(undefined, this.onFault);
    } catch (error) {
      this.onFault(error);
    }
  }
}
