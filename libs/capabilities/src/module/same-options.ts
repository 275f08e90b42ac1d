import { isRecord } from '../kernel/json.js';

/** True when two option objects name the same classes, functions and values, in the same places. */
export function sameOptions(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => sameOptions(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => sameOptions(one[key], other[key]));
}
