export { ShiftedClock } from './shifted-clock.js';
export { capabilityStoreContract } from './store-contract.js';
export * as storeFixtures from './store-fixtures.js';
export type { StoreUnderTest } from './store-fixtures.js';
