/** The part of Standard Schema v1 (standardschema.dev) that the library reads. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A class whose instances a schema library validates (class-validator or nestjs-zod). */
export type DtoClass<T = object> = abstract new (...args: never[]) => T;

/** Whatever may stand as `inputSchema` or `outputSchema`. */
export type SchemaLike = StandardSchema<unknown, unknown> | DtoClass;

/** What a schema hands to the handler: the parsed input, or what the caller receives. */
export type SchemaOutput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : S extends abstract new (...args: never[]) => infer T
    ? T
    : unknown;

/** What a schema accepts before parsing: what a handler may return for its output schema. */
export type SchemaInput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : unknown
  : S extends abstract new (...args: never[]) => infer T
    ? T
    : unknown;
