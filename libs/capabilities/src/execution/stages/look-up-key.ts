import { storeInput } from '../../approvals/approval-input.js';
import { keyPrincipal, type KeyScope, type StoredOutcome } from '../../approvals/approval-record.js';
import { executionRefusal, refuseExecution } from '../../approvals/approval-refusal.js';
import { CapabilityError } from '../../errors/capability-error.js';
import type { Principal } from '../../kernel/principal.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import type { CapabilityStore } from '../capability-store.js';

/** The caller's key in its key space, with the hash of the input it stands for. */
export interface CallKey {
  readonly scope: KeyScope;
  readonly inputHash: string;
}

/** What the key led to: a free key (or one that waits on an approval), or a stored outcome. */
export interface KeyLookUp {
  readonly key: CallKey;
  readonly replay: StoredOutcome | undefined;
}

/** One key space per tenant, principal and capability, across surfaces. Throws UNSTORABLE_INPUT. */
export function callKey(
  definition: CapabilityDefinition,
  principal: Principal,
  key: string,
  input: unknown,
): CallKey {
  const scope = {
    tenant: principal.tenant,
    principal: keyPrincipal(principal),
    capability: definition.name,
    key,
  };
  return { scope, inputHash: storeInput(definition.name, input, definition.input.classes).inputHash };
}

/** Stage 8. Throws IN_PROGRESS, KEY_REUSED, OUTCOME_UNKNOWN, or why the approval it waits on cannot execute. */
export async function lookUpKey(store: CapabilityStore, key: CallKey): Promise<KeyLookUp> {
  const state = await store.idempotency.look(key.scope, key.inputHash);
  switch (state.status) {
    case 'absent':
      return { key, replay: undefined };
    case 'done':
      return { key, replay: state.outcome };
    case 'in-progress':
      throw new CapabilityError('IN_PROGRESS', { retryAfter: 1 });
    case 'reused':
      throw new CapabilityError('KEY_REUSED');
    case 'unknown':
      throw new CapabilityError('OUTCOME_UNKNOWN');
    case 'suspended':
      await assertStillOpen(store, key.scope.tenant, state.approvalId);
      return { key, replay: undefined };
  }
}

async function assertStillOpen(store: CapabilityStore, tenant: string, approvalId: string): Promise<void> {
  const record = await store.approvals.get(tenant, approvalId);
  if (record === undefined)
    throw new CapabilityError('UNAVAILABLE', { cause: new TypeError('A key waits on a missing approval.') });
  const refusal = executionRefusal(record.state);
  if (refusal !== undefined) throw refuseExecution(record, refusal);
}
