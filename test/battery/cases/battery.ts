import type { BatteryCase } from '../battery-case.js';
import { APPROVALS } from './approvals.js';
import { AUDIT } from './audit.js';
import { HOSTILE_INPUT } from './hostile-input.js';
import { IDEMPOTENCY } from './idempotency.js';
import { TRACES } from './traces.js';
import { TRANSPORT } from './transport.js';

/** Every case of the battery that is due, in the order of the ids. */
export const BATTERY: readonly BatteryCase[] = [
  ...IDEMPOTENCY,
  ...APPROVALS,
  ...TRANSPORT,
  ...AUDIT,
  ...TRACES,
  ...HOSTILE_INPUT,
];
