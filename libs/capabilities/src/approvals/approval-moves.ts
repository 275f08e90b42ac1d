import type { ApprovalState } from './approval-record.js';

/**
 * Every legal move of an approval. `claimed → approved` only when an audit sink outside the store's
 * transaction refused `started`, so that nothing ran; `unknown → …` only by an operator.
 */
export const APPROVAL_MOVES: Readonly<Record<ApprovalState, readonly ApprovalState[]>> = Object.freeze({
  pending: Object.freeze(['approved', 'denied', 'expired', 'cancelled'] as const),
  approved: Object.freeze(['claimed', 'expired', 'cancelled', 'void'] as const),
  claimed: Object.freeze(['approved', 'succeeded', 'failed', 'unknown'] as const),
  unknown: Object.freeze(['succeeded', 'failed'] as const),
  denied: Object.freeze([]),
  expired: Object.freeze([]),
  cancelled: Object.freeze([]),
  void: Object.freeze([]),
  succeeded: Object.freeze([]),
  failed: Object.freeze([]),
});

/** True when an approval may go from one state straight to the other. */
export function canMove(from: ApprovalState, to: ApprovalState): boolean {
  return APPROVAL_MOVES[from].includes(to);
}

/** True when nothing can happen to the approval any more. */
export function isFinal(state: ApprovalState): boolean {
  return APPROVAL_MOVES[state].length === 0;
}
