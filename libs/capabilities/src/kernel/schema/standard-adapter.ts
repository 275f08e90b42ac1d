import type { ParseResult, SchemaIssue } from '../compiled-schema.js';
import type { JsonSchema } from '../json.js';
import type { SchemaLike, StandardIssue, StandardResult, StandardSchema } from '../standard-schema.js';
import { propertiesOf } from './merge-objects.js';
import { MARK, type AdaptedSchema, type SchemaAdapter, type SchemaSide } from './schema-adapter.js';
import { SchemaConversionError } from './schema-conversion-error.js';
import { asSchema } from './schema-walk.js';
import { withoutInput } from './standard-message.js';
import { pathKey } from './zod-issues.js';

const TARGET = { target: 'draft-2020-12' };

/** Any Standard Schema (standardschema.dev) that can convert itself to JSON Schema. */
export class StandardAdapter implements SchemaAdapter {
  readonly kind = 'standard';

  accepts(schema: SchemaLike): boolean {
    return '~standard' in schema;
  }

  adapt(schema: SchemaLike, side: SchemaSide): AdaptedSchema {
    const standard = schema as StandardSchema<unknown, unknown>;
    const document = side === 'input' ? convert(standard, side) : (tryConvert(standard) ?? OPAQUE);
    const title = document['title'];
    return {
      document,
      rootName: undefined,
      isNamed: (definition) => definition !== title,
      parse: parser(standard),
      nothing: false,
      transforms: fieldComparison(standard),
      classes: [],
    };
  }
}

const OPAQUE: JsonSchema = {
  description: 'Any JSON value: the schema cannot describe it.',
  [MARK]: { opaque: true },
};

function convert(schema: StandardSchema<unknown, unknown>, side: SchemaSide): JsonSchema {
  const converter = schema['~standard'].jsonSchema;
  const { vendor } = schema['~standard'];
  if (converter === undefined) {
    throw new SchemaConversionError(
      '$',
      `The ${vendor} schema has no JSON Schema converter`,
      vendor === 'zod'
        ? "Import z from 'zod' 4 or from 'zod/v4'."
        : "Wrap it with the library's Standard JSON Schema converter (for valibot: toStandardJsonSchema of @valibot/to-json-schema).",
    );
  }
  try {
    return asSchema(converter[side](TARGET));
  } catch (error) {
    throw new SchemaConversionError(
      '$',
      `${vendor} cannot convert the schema: ${error instanceof Error ? error.message : 'unknown problem'}`,
      'Use types that JSON can carry; decode dates and bigints from strings inside the schema.',
    );
  }
}

/** Conversion binds inputs only: an output that cannot be described is annotated instead. */
function tryConvert(schema: StandardSchema<unknown, unknown>): JsonSchema | undefined {
  try {
    return convert(schema, 'output');
  } catch (error) {
    if (error instanceof SchemaConversionError) return undefined;
    throw error;
  }
}

function parser(schema: StandardSchema<unknown, unknown>): AdaptedSchema['parse'] {
  const standard = schema['~standard'];
  return (value) => {
    const result = standard.validate(value);
    return result instanceof Promise
      ? result.then((settled) => toResult(settled, value))
      : toResult(result, value);
  };
}

function toResult(result: StandardResult<unknown>, input: unknown): ParseResult {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map((issue) => toIssue(issue, input)) };
}

function toIssue(issue: StandardIssue, input: unknown): SchemaIssue {
  const path = (issue.path ?? []).map((segment) =>
    pathKey(typeof segment === 'object' ? segment.key : segment),
  );
  return { path, message: withoutInput(issue, path, input) };
}

/**
 * Which fields look different before and after parsing. A change that JSON Schema does not show, such
 * as a trim, is found when the call compares the raw with the parsed value.
 */
function fieldComparison(schema: StandardSchema<unknown, unknown>): (field: string) => boolean {
  let before: ReadonlyMap<string, JsonSchema> | undefined;
  let after: ReadonlyMap<string, JsonSchema> | undefined;
  return (field) => {
    before ??= propertiesOf(convert(schema, 'input'));
    after ??= propertiesOf(tryConvert(schema) ?? {});
    const property = before.get(field);
    return (
      property === undefined ||
      'default' in property ||
      JSON.stringify(property) !== JSON.stringify(after.get(field))
    );
  };
}
