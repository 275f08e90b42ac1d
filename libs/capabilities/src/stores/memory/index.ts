export { MemoryCapabilityStore } from './memory-store.js';
