import type { JsonSchema } from './json.js';

/** One reason why a value does not fit its schema. */
export interface SchemaIssue {
  /** Keys from the root to the offending place; empty for the root. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The permitted values, where the place is an enumeration. */
  readonly allowed?: readonly (string | number | boolean | null)[];
}

export type ParseResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** A schema compiled once at boot; nothing is converted or rebuilt per call. */
export interface CompiledSchema {
  readonly kind: 'zod' | 'dto' | 'standard';
  /** Exact JSON Schema 2020-12 (`$defs` for shared or recursive parts), for OpenAPI and validation. */
  readonly exact: JsonSchema;
  /** Portable form for MCP and assistants: root `type: object`, references inlined unless recursive. */
  readonly portable: JsonSchema;
  /** Named parts (`.meta({ id })`, DTO class names) that OpenAPI hoists to components. */
  readonly named: Readonly<Record<string, JsonSchema>>;
  /** Places whose JSON form is only annotated (an output transform): JSON pointers. */
  readonly opaque: readonly string[];
  /** Classes the storable encoding must know to rebuild a parsed value; empty unless a DTO. */
  readonly classes: readonly (abstract new (...args: never[]) => object)[];
  /** The one parse. Synchronous wherever the schema library is. */
  parse(value: unknown): ParseResult | Promise<ParseResult>;
}

/** The input schema of a capability. */
export interface CompiledInput extends CompiledSchema {
  /** First key that the schema does not know, as a path; `undefined` when every key is known or keys are ignored. */
  unknownKey(raw: unknown): readonly (string | number)[] | undefined;
  /** On wire surfaces: decodes date-time and integer strings at Date and bigint positions. Identity when there are none. */
  decodeWire(raw: unknown): unknown;
  /** Top-level properties and their JSON Schema, for path, query and flag decoding. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: ReadonlySet<string>;
  /** True when parsing may change the value of this top-level field (coercion, transform, default). */
  transforms(field: string): boolean;
}

/** The output schema of a capability. */
export interface CompiledOutput extends CompiledSchema {
  /** True when the schema admits only "nothing" (`z.void()`, `z.undefined()`): REST answers 204. */
  readonly nothing: boolean;
  /** JSON form of an already parsed and redacted value; throws `TypeError` for what JSON cannot hold. */
  toWire(value: unknown): unknown;
}
