import type { SchemaLike } from '../standard-schema.js';

/** The part of a zod 4 schema that is read structurally, so that any copy of zod works. */
export interface ZodSchema {
  readonly _zod: {
    readonly def: ZodDef;
    /** `'optional'` when an absent value is accepted. */
    readonly optin?: string;
    readonly optout?: string;
    readonly bag?: Readonly<Record<string, unknown>>;
    readonly traits?: ReadonlySet<string>;
    run(payload: ZodPayload, context: { async: boolean }): ZodPayload | Promise<ZodPayload>;
  };
  readonly '~standard'?: unknown;
  readonly meta?: () => Readonly<Record<string, unknown>> | undefined;
}

export interface ZodDef {
  readonly type: string;
  readonly coerce?: boolean;
  readonly checks?: readonly { readonly _zod: { readonly def: ZodCheckDef } }[];
  readonly [key: string]: unknown;
}

export interface ZodCheckDef {
  readonly check: string;
  readonly [key: string]: unknown;
}

export interface ZodPayload {
  value: unknown;
  issues: ZodIssue[];
}

export interface ZodIssue {
  readonly code?: string;
  readonly path?: readonly PropertyKey[];
  readonly message?: string;
  readonly input?: unknown;
  readonly values?: readonly unknown[];
  readonly options?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly ZodIssue[])[];
}

function isZodSchema(value: unknown): value is ZodSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('_zod' in value))
    return false;
  const internals = value._zod;
  return typeof internals === 'object' && internals !== null && 'def' in internals;
}

/** The zod schema itself, or the one that a nestjs-zod DTO class carries as its static `schema`. */
export function zodSchemaOf(schema: SchemaLike): ZodSchema | undefined {
  if (isZodSchema(schema)) return schema;
  if (typeof schema !== 'function') return undefined;
  const { schema: carried } = schema as { schema?: unknown };
  return isZodSchema(carried) ? carried : undefined;
}

/** Every schema directly inside `schema`. */
export function zodChildren(schema: ZodSchema): ZodSchema[] {
  const { def } = schema._zod;
  if (def.type === 'lazy' && typeof def['getter'] === 'function')
    return [(def['getter'] as () => ZodSchema)()];
  const found: unknown[] = [];
  for (const key of [
    'innerType',
    'element',
    'in',
    'out',
    'left',
    'right',
    'keyType',
    'valueType',
    'catchall',
    'rest',
  ]) {
    found.push(def[key]);
  }
  for (const key of ['options', 'items']) if (Array.isArray(def[key])) found.push(...(def[key] as unknown[]));
  if (typeof def['shape'] === 'object' && def['shape'] !== null)
    found.push(...(Object.values(def['shape']) as unknown[]));
  return found.filter(isZodSchema);
}
