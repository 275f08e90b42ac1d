import type { TraceParent } from '../audit/telemetry.js';
import { parseTraceParent } from '../audit/trace-parent.js';
import type { LogLevel } from '../contract/handler-context.js';
import { isRecord } from '../kernel/json.js';
import { isRequestId, type RequestId } from './json-rpc.js';
import { invalidParams } from './rpc-error.js';
import { IDEMPOTENCY_META, META } from './versions.js';

/** What the `_meta` of a request says about how to answer it. Self-declared: never used for a decision. */
export interface RequestMeta {
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  readonly progressToken: RequestId | undefined;
  /** The least severe message the caller wants; undefined for none. */
  readonly logLevel: LogLevel | undefined;
  readonly trace: TraceParent | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Severity order of RFC 5424, least severe first. */
const LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function isLogLevel(value: unknown): value is LogLevel {
  return (LEVELS as readonly unknown[]).includes(value);
}

/** True when a message of `level` is at least as severe as `threshold`. */
export function reaches(level: LogLevel, threshold: LogLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

/** The `_meta` of a 2026-07-28 request. Throws {@link RpcError} −32602 when it is not well formed. */
export function readModernMeta(meta: Readonly<Record<string, unknown>>): RequestMeta {
  const clientCapabilities = meta[META.clientCapabilities];
  if (!isRecord(clientCapabilities)) {
    throw invalidParams(`_meta["${META.clientCapabilities}"] must be an object`, undefined, 400);
  }
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    throw invalidParams(`_meta["${META.logLevel}"] is not a log level`, undefined, 400);
  }
  return { clientCapabilities, logLevel, ...readCommon(meta) };
}

/** The `_meta` of an earlier revision: capabilities and log level come from the session. */
export function readLegacyMeta(
  meta: unknown,
  session: { readonly clientCapabilities: Readonly<Record<string, unknown>>; readonly logLevel: LogLevel },
): RequestMeta {
  return { ...session, ...readCommon(isRecord(meta) ? meta : {}) };
}

function readCommon(
  meta: Readonly<Record<string, unknown>>,
): Omit<RequestMeta, 'clientCapabilities' | 'logLevel'> {
  const token = meta['progressToken'];
  if (token !== undefined && !isRequestId(token)) {
    throw invalidParams('_meta.progressToken must be a string or an integer', undefined, 400);
  }
  const key = meta[IDEMPOTENCY_META];
  if (key !== undefined && typeof key !== 'string') {
    throw invalidParams(`_meta["${IDEMPOTENCY_META}"] must be a string`, undefined, 400);
  }
  return { progressToken: token, trace: parseTraceParent(meta['traceparent']), idempotencyKey: key };
}
