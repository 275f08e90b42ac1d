/** A JSON value (RFC 8259). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON Schema document (2020-12 unless a field says otherwise). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** True for an object that is a record, not an array, class instance or null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
