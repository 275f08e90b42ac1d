import type { ParseResult } from '../compiled-schema.js';
import type { JsonSchema } from '../json.js';
import type { DtoClass, SchemaLike } from '../standard-schema.js';

/** Which side of a schema is converted: what it accepts, or what parsing gives. */
export type SchemaSide = 'input' | 'output';

/** Private keyword by which adapters annotate a place; it never leaves the compiler. */
export const MARK = 'x-nest-capabilities-mark';

/** What JSON Schema cannot say about a place. */
export interface PlaceMark {
  /** Strings of this form become that type before the parse on wire surfaces. */
  readonly decode?: 'date' | 'bigint';
  /** A bigint may stand here in an output. */
  readonly bigint?: true;
  /** The place is annotated only: any JSON may stand here. */
  readonly opaque?: true;
  /** The place cannot be converted: what it is, and what to use instead. */
  readonly refused?: { readonly what: string; readonly remedy: string };
}

/** What an adapter learned about one schema. */
export interface AdaptedSchema {
  /** JSON Schema 2020-12 with local references; may carry `MARK`. */
  readonly document: JsonSchema;
  /** Name of the root part, if its author gave it one. */
  readonly rootName: string | undefined;
  /** True for a definition that its author named; others are named by the compiler if they must be. */
  readonly isNamed: (definition: string) => boolean;
  readonly parse: (value: unknown) => ParseResult | Promise<ParseResult>;
  /** The schema admits only `undefined`. */
  readonly nothing: boolean;
  /** True when parsing may change this top-level field. */
  readonly transforms: (field: string) => boolean;
  /** Classes that parsed values may be instances of. */
  readonly classes: readonly DtoClass[];
}

/** One schema library. */
export interface SchemaAdapter {
  readonly kind: 'zod' | 'dto' | 'standard';
  accepts(schema: SchemaLike): boolean;
  /** Throws `SchemaConversionError` where nothing can be converted at all. */
  adapt(schema: SchemaLike, side: SchemaSide): AdaptedSchema;
}
