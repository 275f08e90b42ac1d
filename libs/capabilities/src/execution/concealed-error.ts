import { CapabilityError } from '../errors/capability-error.js';

/** NOT_FOUND to the caller; only the audit learns which of the three it was. */
export class ConcealedError extends CapabilityError {
  constructor(readonly concealed: 'UNKNOWN' | 'UNEXPOSED' | 'HIDDEN') {
    super('NOT_FOUND');
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && 'concealed' in value;
  }
}
