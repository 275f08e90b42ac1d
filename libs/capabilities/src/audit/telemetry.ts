import type { SurfaceId } from '../contract/surface.js';

/** W3C trace context of the caller, already validated. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

export interface SpanStart {
  readonly executionId: string;
  /** `(unknown)` for every name that no capability bears. */
  readonly capability: string;
  readonly surface: SurfaceId;
  readonly parent?: TraceParent;
}

/** One running span. */
export interface TelemetrySpan {
  readonly traceId?: string;
  /** Runs `work` with this span active. */
  run<T>(work: () => T): T;
  /** `errorType` only when the call failed: a reason of the error table, never a message. */
  end(result: {
    readonly outcome: 'completed' | 'suspended' | 'failed';
    readonly errorType?: string;
    readonly durationMs: number;
  }): void;
}

/**
 * Spans and metrics of executions (port); names and labels are bounded, payloads never recorded. Best effort: a
 * throw is logged and changes nothing.
 */
export abstract class Telemetry {
  abstract start(span: SpanStart): TelemetrySpan;
}
