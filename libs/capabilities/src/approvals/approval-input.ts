import { CapabilityError } from '../errors/capability-error.js';
import { sha256 } from '../kernel/hash.js';
import type { StorableClass } from '../kernel/storable-class.js';
import { decodeStorable } from '../kernel/storable-reader.js';
import { canonicalStorable, encodeStorable, UnstorableValueError } from '../kernel/storable-value.js';
import type { ApprovalRecord } from './approval-record.js';

/** The parsed input as an approval stores it. */
export interface StoredInput {
  readonly input: string;
  readonly inputHash: string;
}

/**
 * The hash of a parsed input, independent of key order: what approvals bind and what idempotency keys compare.
 * Throws `CapabilityError` UNSTORABLE_INPUT, naming the place.
 */
export function inputHash(capability: string, value: unknown, classes: readonly StorableClass[]): string {
  const canonical = storable(() => canonicalStorable(value, classes));
  return sha256('nest-capabilities.input.v1', JSON.stringify([capability, canonical]));
}

/** Encodes and hashes a parsed input. Throws `CapabilityError` UNSTORABLE_INPUT, naming the place. */
export function storeInput(
  capability: string,
  value: unknown,
  classes: readonly StorableClass[],
): StoredInput {
  const input = storable(() => encodeStorable(value, classes));
  return { input, inputHash: inputHash(capability, value, classes) };
}

/** Runs an encoding; an unstorable value becomes the typed refusal. */
function storable<T>(encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof UnstorableValueError)) throw error;
    throw new CapabilityError('UNSTORABLE_INPUT', {
      message: `The input holds ${error.what}, which cannot be stored for approval.`,
      ...(error.path.length === 0 ? {} : { field: error.path.join('.') }),
    });
  }
}

/**
 * The value that was approved, rebuilt; the hash is checked again. Throws `CapabilityError` UNAVAILABLE
 * when the stored value is damaged.
 */
export function loadInput(record: ApprovalRecord, classes: readonly StorableClass[]): unknown {
  let value: unknown;
  try {
    value = decodeStorable(record.input, classes);
  } catch (cause) {
    throw new CapabilityError('UNAVAILABLE', { cause });
  }
  if (inputHash(record.capability, value, classes) === record.inputHash) return value;
  throw new CapabilityError('UNAVAILABLE', {
    cause: new TypeError('The stored input does not match its hash.'),
  });
}
