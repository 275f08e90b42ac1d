import type { FailedOutcome } from '../../../execution/outcome.js';

const BRAND = Symbol.for('nest-capabilities.rest.RefusedCall');

/** Thrown by the guards of a generated route: stages 1–4 refused the call. Answered by the route's own filter. */
export class RefusedCall extends Error {
  readonly [BRAND] = true;

  constructor(readonly outcome: FailedOutcome) {
    super(outcome.error.message);
    this.name = 'RefusedCall';
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
