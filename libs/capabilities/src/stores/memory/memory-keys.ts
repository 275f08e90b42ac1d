import type { KeyScope } from '../../approvals/approval-record.js';
import { resolvedOutcome } from '../../approvals/resolved-outcome.js';
import { IdempotencyStore, type KeyState } from '../../execution/idempotency-store.js';
import type { KeyRow, MemoryState } from './memory-state.js';

/** Idempotency keys in memory. */
export class MemoryKeys extends IdempotencyStore {
  constructor(private readonly state: MemoryState) {
    super();
  }

  async look(scope: KeyScope, inputHash: string): Promise<KeyState> {
    return keyState(this.state.key(scope), inputHash);
  }

  async resolve(scope: KeyScope, outcome: 'succeeded' | 'failed'): Promise<boolean> {
    const row = this.state.key(scope);
    if (row?.state !== 'unknown' || row.approvalId !== null) return false;
    this.state.setKey({ ...row, state: 'done', outcome: resolvedOutcome(outcome) });
    return true;
  }
}

/** What a key's row means for a call with this input. */
export function keyState(row: KeyRow | undefined, inputHash: string): KeyState {
  if (row === undefined) return { status: 'absent' };
  if (row.inputHash !== inputHash) return { status: 'reused' };
  if (row.state === 'suspended') return { status: 'suspended', approvalId: row.approvalId! };
  return row.state === 'done' ? { status: 'done', outcome: row.outcome! } : { status: row.state };
}
