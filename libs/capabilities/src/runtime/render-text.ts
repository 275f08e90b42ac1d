/**
 * A result as text, for surfaces that need it: strings as they are, nothing as an empty string, everything else
 * as JSON indented by two spaces, with bigints as decimal strings. Throws `TypeError` for a cyclic value.
 */
export function renderCapabilityText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, decimalBigints, 2) ?? '';
}

const decimalBigints = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;
