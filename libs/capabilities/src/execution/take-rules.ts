import type { TakeResult } from './capability-store.js';
import type { KeyState } from './idempotency-store.js';

export const DAY_MS = 86_400_000;

/** What taking a key that exists already leads to. */
export function refusedKey(found: Exclude<KeyState, { status: 'absent' }>): TakeResult {
  switch (found.status) {
    case 'done':
      return { status: 'replay', outcome: found.outcome };
    case 'suspended':
      return { status: 'suspended', approvalId: found.approvalId };
    case 'in-progress':
      return { status: 'refused', reason: 'IN_PROGRESS', record: undefined };
    case 'unknown':
      return { status: 'refused', reason: 'OUTCOME_UNKNOWN', record: undefined };
    case 'reused':
      return { status: 'refused', reason: 'KEY_REUSED', record: undefined };
  }
}
