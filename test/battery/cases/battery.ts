import type { BatteryCase } from '../battery-case.js';
import { APPROVALS } from './approvals.js';
import { AUDIT } from './audit.js';
import { HOSTILE_INPUT } from './hostile-input.js';
import { IDEMPOTENCY } from './idempotency.js';

/** Every case of the battery that is due, in the order of the ids. */
export const BATTERY: readonly BatteryCase[] = [...IDEMPOTENCY, ...APPROVALS, ...AUDIT, ...HOSTILE_INPUT];
