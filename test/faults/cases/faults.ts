import type { BatteryCase } from '../../battery/battery-case.js';
import { AUDIT_DOWN } from './audit-down.js';
import { crashCases } from './crashes.js';
import { OLD_APPROVALS } from './old-approvals.js';
import { raceCases } from './races.js';
import { STORED_VALUES } from './stored-values.js';

/** Every fault, with its loads repeated so often. */
export function faultCases(rounds: number): readonly BatteryCase[] {
  return [...raceCases(rounds), ...STORED_VALUES, ...OLD_APPROVALS, ...AUDIT_DOWN, ...crashCases(rounds)];
}

/** Every fault once. */
export const FAULTS = faultCases(1);
