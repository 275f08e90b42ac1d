import type { StoredError, StoredOutcome } from '../approvals/approval-record.js';
import type { ObjectRef } from '../contract/object-ref.js';
import { CapabilityError } from '../errors/capability-error.js';
import type { CompiledOutput } from '../kernel/compiled-schema.js';
import type { ErrorReason } from '../errors/error-table.js';
import { decodeStorable } from '../kernel/storable-reader.js';
import { encodeStorable } from '../kernel/storable-value.js';
import { toWireJson } from '../kernel/wire-json.js';

/** Reasons after which nobody can know whether the effect took place. */
const UNKNOWN: ReadonlySet<ErrorReason> = new Set([
  'INTERNAL',
  'OUTPUT_INVALID',
  'UNAVAILABLE',
  'TIMEOUT',
  'CANCELLED',
]);

/**
 * The outcome of a completed call: its validated output before redaction; without an output schema the value is
 * JSON, whatever class it came from. Throws OUTPUT_INVALID when the value cannot be kept.
 */
export function storedSuccess(
  schema: CompiledOutput | undefined,
  output: unknown,
  cites: readonly ObjectRef[],
): StoredOutcome {
  try {
    const value = schema === undefined && output !== undefined ? toWireJson(output) : output;
    return { status: 'succeeded', output: encodeStorable(value, schema?.classes), cites };
  } catch (cause) {
    throw new CapabilityError('OUTPUT_INVALID', { cause });
  }
}

/** The outcome of a call that failed after `started`: a replayable failure, or unknown. */
export function storedFailure(error: CapabilityError, executionId: string): StoredOutcome {
  if (UNKNOWN.has(error.reason)) return { status: 'unknown', reason: error.reason };
  const { reason, code, status, retryable, message, details } = error;
  return {
    status: 'failed',
    error: { reason, code, status, retryable, message, details: { ...details, executionId } },
  };
}

/** The stored output, rebuilt. Throws UNAVAILABLE when it is damaged. */
export function loadOutput(text: string, schema?: CompiledOutput): unknown {
  try {
    return decodeStorable(text, schema?.classes);
  } catch (cause) {
    throw new CapabilityError('UNAVAILABLE', { cause });
  }
}

/** The stored failure, as it was thrown the first time. */
export function loadError({
  reason,
  code,
  status,
  retryable,
  message,
  details,
}: StoredError): CapabilityError {
  return new CapabilityError(reason, { message, code, status, retryable, ...details });
}
