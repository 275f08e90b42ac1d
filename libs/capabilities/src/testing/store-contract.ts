import { approvalStoreContract } from './approval-store-contract.js';
import { auditStoreContract } from './audit-store-contract.js';
import { keyStoreContract } from './key-store-contract.js';
import type { StoreUnderTest } from './store-fixtures.js';
import { takeContract } from './take-contract.js';
import { testGlobals } from './test-globals.js';

const SETUP_MS = 60_000;

/**
 * The suite that every `CapabilityStore` passes: approvals, takes, idempotency keys and audit, with races.
 * Call it at the top level of a test file, in a framework with global `describe`, `it`, `beforeAll`, `afterAll`.
 */
export function capabilityStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  const { describe, beforeAll, afterAll } = testGlobals();
  describe(`${name} keeps the store contract`, () => {
    let opened: StoreUnderTest | undefined;
    beforeAll(async () => {
      opened = await open();
    }, SETUP_MS);
    afterAll(() => opened!.close(), SETUP_MS);
    const under = (): StoreUnderTest => opened!;
    approvalStoreContract(under);
    takeContract(under);
    keyStoreContract(under);
    auditStoreContract(under);
  });
}
