import { CapabilityError } from '../errors/capability-error.js';

const BRAND = Symbol.for('nest-capabilities.QuestionPending');

/**
 * Ends a call with a question to its caller's client, before any effect. It is no failure: what the call had
 * claimed is given back, and the answered call runs the handler again from its start.
 */
export class QuestionPending extends CapabilityError {
  readonly [BRAND] = true;

  constructor() {
    super('APPROVAL_REQUIRED', { message: 'The call waits for an answer of its caller.' });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
