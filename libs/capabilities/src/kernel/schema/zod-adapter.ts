import { config, core } from 'zod/v4';
import type { ParseResult } from '../compiled-schema.js';
import type { DtoClass, SchemaLike } from '../standard-schema.js';
import type { AdaptedSchema, SchemaAdapter, SchemaSide } from './schema-adapter.js';
import { convertZod, zodName } from './zod-conversion.js';
import { zodIssues } from './zod-issues.js';
import { zodFieldTransforms, zodIsAsync } from './zod-traits.js';
import { type ZodIssue, type ZodPayload, type ZodSchema, zodSchemaOf } from './zod-types.js';

/** zod 4 schemas (`zod/v4` of 3.25, or 4), whatever copy of zod made them, and nestjs-zod DTO classes. */
export class ZodAdapter implements SchemaAdapter {
  readonly kind = 'zod';

  accepts(schema: SchemaLike): boolean {
    return zodSchemaOf(schema) !== undefined;
  }

  adapt(schema: SchemaLike, side: SchemaSide): AdaptedSchema {
    const zod = zodSchemaOf(schema);
    if (zod === undefined) throw new TypeError('Not a zod schema.');
    return {
      document: convertZod(zod, side),
      rootName:
        zodName(zod) ?? (typeof schema === 'function' && schema.name !== '' ? schema.name : undefined),
      isNamed: (definition) => !definition.startsWith('__schema'),
      parse: zodParser(zod),
      nothing: isNothing(zod),
      transforms: (field) => zodFieldTransforms(zod, field),
      classes: NO_CLASSES,
    };
  }
}

const NO_CLASSES: readonly DtoClass[] = [];

function isNothing(schema: ZodSchema): boolean {
  const { type } = schema._zod.def;
  return type === 'void' || type === 'undefined';
}

/**
 * Parses synchronously, with zod's compiled fast path, unless the schema holds an async refinement or
 * transform. One that cannot be seen at boot (a plain function that returns a promise) shows itself at
 * its first call, which alone is parsed again.
 */
function zodParser(schema: ZodSchema): (value: unknown) => ParseResult | Promise<ParseResult> {
  let isAsync = zodIsAsync(schema);
  const runAsync = (value: unknown): ParseResult | Promise<ParseResult> => {
    const payload = schema._zod.run({ value, issues: [] }, { async: true });
    return payload instanceof Promise ? payload.then(toResult) : toResult(payload);
  };
  return (value) => {
    if (isAsync) return runAsync(value);
    try {
      const payload = schema._zod.run({ value, issues: [] }, { async: false });
      if (!(payload instanceof Promise)) return toResult(payload);
      payload.catch(() => undefined);
    } catch (error) {
      if (!isAsyncError(error)) throw error;
    }
    isAsync = true;
    return runAsync(value);
  };
}

/** By name: the schema's own copy of zod throws its own class. */
function isAsyncError(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.constructor.name === '$ZodAsyncError' || error instanceof core.$ZodAsyncError)
  );
}

function toResult(payload: ZodPayload): ParseResult {
  if (payload.issues.length === 0) return { ok: true, value: payload.value };
  return { ok: false, issues: zodIssues(payload.issues, messageOf) };
}

/** What zod's English locale says of text that `z.coerce.date()` cannot read. */
const BAD_DATE = 'Invalid input: expected date, received Date';

/** Raw issues carry no text yet: the schema's own error, then the application's, then zod's locale. */
function messageOf(issue: ZodIssue): string {
  if (typeof issue.message === 'string') return issue.message;
  const { message } = core.util.finalizeIssue(issue as never, {}, config());
  return message === BAD_DATE ? 'Invalid input: expected a date-time (RFC 3339)' : message;
}
