import type { TraceParent } from './telemetry.js';

/** W3C Trace Context, section 3.2: version 00, ids of zeros are invalid. */
const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent` value; undefined when there is none or it is not valid. */
export function parseTraceParent(value: unknown): TraceParent | undefined {
  const match = typeof value === 'string' ? TRACE_PARENT.exec(value) : null;
  const [, traceId, spanId, flags] = match ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
