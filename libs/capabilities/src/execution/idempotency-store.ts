import type { KeyScope, StoredOutcome } from '../approvals/approval-record.js';

/** What a key stands for. `in-progress` turns `unknown` when its lease runs out: the process is gone. */
export type KeyState =
  | { readonly status: 'absent' }
  | { readonly status: 'in-progress' }
  | { readonly status: 'suspended'; readonly approvalId: string }
  | { readonly status: 'done'; readonly outcome: StoredOutcome }
  | { readonly status: 'unknown' }
  /** The key was used with other input. */
  | { readonly status: 'reused' };

/** Idempotency keys (port): one key space per tenant + principal + capability, across surfaces. */
export abstract class IdempotencyStore {
  /** What the key stands for, given the canonical hash of the parsed input. Stores nothing. */
  abstract look(scope: KeyScope, inputHash: string): Promise<KeyState>;
  /** An operator states what an unknown key without an approval came to. False when the key is not unknown. */
  abstract resolve(scope: KeyScope, outcome: 'succeeded' | 'failed'): Promise<boolean>;
}
