import type { ObjectRef } from '../contract/object-ref.js';
import { CapabilityError } from '../errors/capability-error.js';
import { decodeStorable, encodeStorable, type StorableClass } from '../kernel/storable-value.js';
import type { StoredOutcome } from './approval-record.js';

/** The outcome of a call that returned; `value` is the validated output before redaction. Throws `UnstorableValueError`. */
export function succeededOutcome(
  value: unknown,
  cites: readonly ObjectRef[],
  classes: readonly StorableClass[] = [],
): StoredOutcome {
  return { status: 'succeeded', output: encodeStorable(value, classes), cites };
}

/** The outcome of a declared failure, a tool error or an `HttpException`: it replays alike. */
export function failedOutcome(error: CapabilityError): StoredOutcome {
  const { reason, code, status, retryable, message, details } = error;
  const { executionId: _, ...kept } = details;
  return { status: 'failed', error: { reason, code, status, retryable, message, details: kept } };
}

/** The output of a stored success, rebuilt with its types. Throws UNAVAILABLE when it is damaged. */
export function storedOutput(
  outcome: Extract<StoredOutcome, { status: 'succeeded' }>,
  classes: readonly StorableClass[] = [],
): unknown {
  try {
    return decodeStorable(outcome.output, classes);
  } catch (cause) {
    throw new CapabilityError('UNAVAILABLE', { cause });
  }
}

/** The error of a stored failure. */
export function storedFailure(outcome: Extract<StoredOutcome, { status: 'failed' }>): CapabilityError {
  const { reason, details, ...options } = outcome.error;
  return new CapabilityError(reason, { ...details, ...options });
}

/** What a key answers once an operator resolved it: how it ended is known, its output is not. */
export function resolvedOutcome(outcome: 'succeeded' | 'failed'): StoredOutcome {
  const message = `An operator found that the earlier attempt ${outcome}; its output is not known.`;
  return failedOutcome(new CapabilityError('OUTCOME_UNKNOWN', { message }));
}
