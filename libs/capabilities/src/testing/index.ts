export { conversationStoreContract } from './conversation-store-contract.js';
export { ShiftedClock } from './shifted-clock.js';
export { capabilityStoreContract } from './store-contract.js';
export * as storeFixtures from './store-fixtures.js';
export type { StoreUnderTest } from './store-fixtures.js';
export type { HandleStoreUnderTest } from './handle-store-under-test.js';
export { singleUseStoreContract } from './single-use-store-contract.js';
export { taskStoreContract } from './task-store-contract.js';
