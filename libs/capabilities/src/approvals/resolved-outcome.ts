import { CapabilityError } from '../errors/capability-error.js';
import type { StoredOutcome } from './approval-record.js';

/** What an approval and its key answer once an operator resolved it: how it ended is known, its output is not. */
export function resolvedOutcome(outcome: 'succeeded' | 'failed'): StoredOutcome {
  const { reason, code, status, retryable, details } = new CapabilityError('OUTCOME_UNKNOWN');
  const message = `An operator found that the earlier attempt ${outcome}; its output is not known.`;
  return { status: 'failed', error: { reason, code, status, retryable, message, details } };
}
