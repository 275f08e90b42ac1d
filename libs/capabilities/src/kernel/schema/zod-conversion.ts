import { globalRegistry, toJSONSchema } from 'zod/v4';
import type { JsonSchema } from '../json.js';
import { isUnicodePattern } from './regex-pattern.js';
import { MARK, type PlaceMark, type SchemaSide } from './schema-adapter.js';
import { SchemaConversionError } from './schema-conversion-error.js';
import type { ZodSchema } from './zod-types.js';

const ANY_JSON = 'Any JSON value: what stands here is computed and cannot be described.';
const TYPE_KEYWORDS = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'items'];

const REMEDIES: Readonly<Record<string, string>> = {
  map: 'Use z.record() or an array of pairs.',
  set: 'Use z.array().',
  file: 'Use z.base64() or a URL.',
  function: 'Leave it out of the input.',
  symbol: 'Use z.string() or z.enum().',
  nan: 'Use z.number().',
  custom:
    'Start from a describable type and move the check to .refine(), or describe it: .meta({ type: … }).',
  transform: 'Pipe a describable type into the transform: z.string().transform(…).',
};

/**
 * Converts one side of a zod schema. Dates and bigints become marked strings; on the input side what
 * JSON cannot carry is marked as refused, on the output side as opaque.
 */
export function convertZod(schema: ZodSchema, side: SchemaSide): JsonSchema {
  try {
    const options = {
      target: 'draft-2020-12',
      io: side,
      unrepresentable: 'any',
      override: (node: { zodSchema: unknown; jsonSchema: unknown }) => {
        describe(node.zodSchema as ZodSchema, node.jsonSchema as Record<string, unknown>, side);
      },
      metadata: METADATA,
    };
    return toJSONSchema(schema as never, options as never) as JsonSchema;
  } catch (error) {
    throw new SchemaConversionError(
      '$',
      `zod cannot convert the schema: ${error instanceof Error ? error.message : 'unknown problem'}`,
      'Check that .meta({ id }) values are unique and that defaults are JSON values.',
    );
  }
}

/** Reads `.meta()` through the schema, which knows the registry of its own copy of zod. */
const METADATA = {
  get: (schema: ZodSchema): unknown => schema.meta?.() ?? globalRegistry.get(schema as never),
  has: (schema: ZodSchema): boolean => METADATA.get(schema) !== undefined,
};

/** The name that the author gave to the whole schema. */
export function zodName(schema: ZodSchema): string | undefined {
  const id = (METADATA.get(schema) as { id?: unknown } | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}

/** Completes what zod's conversion leaves out, in place: that is how zod's `override` works. */
function describe(schema: ZodSchema, json: Record<string, unknown>, side: SchemaSide): void {
  delete json['id'];
  delete json['readOnly'];
  if (MARK in json && isDescribed(json)) dropOpaque(json);
  switch (schema._zod.def.type) {
    case 'date':
      Object.assign(json, { type: 'string', format: 'date-time' });
      addNote(json, boundsNote(schema));
      mark(json, codec(schema, side, 'date'));
      return;
    case 'bigint':
      Object.assign(json, { type: 'string', pattern: '^-?\\d+$' });
      addNote(json, boundsNote(schema));
      mark(json, codec(schema, side, 'bigint'));
      return;
    case 'undefined':
    case 'void':
      json['not'] = {};
      return;
    case 'literal':
      describeLiteral(schema, json, side);
      return;
    case 'string':
      describePatterns(schema, json);
      return;
    case 'tuple':
      describeLength(schema, json, side);
      return;
    case 'default':
    case 'prefault':
      if (isComputed(schema)) delete json['default'];
      return;
    case 'record':
      if (schema._zod.def['mode'] === 'loose') json['additionalProperties'] ??= {};
      return;
    default:
      if (schema._zod.def.type in REMEDIES) describeForeign(schema, json, side);
  }
}

/** A default that a function makes anew each time says nothing to a caller, and would differ from process to process. */
function isComputed(schema: ZodSchema): boolean {
  const { def } = schema._zod;
  return JSON.stringify(def['defaultValue']) !== JSON.stringify(def['defaultValue']);
}

function codec(schema: ZodSchema, side: SchemaSide, type: 'date' | 'bigint'): PlaceMark {
  if (side === 'output') return type === 'bigint' ? { bigint: true } : {};
  return schema._zod.def.coerce === true ? {} : { decode: type };
}

function describeForeign(schema: ZodSchema, json: Record<string, unknown>, side: SchemaSide): void {
  const { type } = schema._zod.def;
  if (isDescribed(json) && type !== 'file') return;
  if (side === 'input') {
    mark(json, { refused: { what: `z.${type}()`, remedy: REMEDIES[type] ?? '' } });
    return;
  }
  for (const keyword of ['type', 'format', 'contentEncoding', 'anyOf', 'minLength', 'maxLength'])
    delete json[keyword];
  json['description'] ??= ANY_JSON;
  mark(json, { opaque: true });
}

/** A tuple without a rest takes no further items, and only its optional tail may be missing. */
function describeLength(schema: ZodSchema, json: Record<string, unknown>, side: SchemaSide): void {
  const { items, rest } = schema._zod.def as unknown as { items: readonly ZodSchema[]; rest?: unknown };
  const isRequired = (item: ZodSchema): boolean =>
    (side === 'input' ? item._zod.optin : item._zod.optout) === undefined;
  json['minItems'] ??= items.findLastIndex(isRequired) + 1;
  if (rest === undefined || rest === null) json['maxItems'] ??= items.length;
}

function isDescribed(json: Record<string, unknown>): boolean {
  return TYPE_KEYWORDS.some((keyword) => keyword in json);
}

/** The author described what a transform gives: `.transform(…).meta({ type: 'integer' })`. */
function dropOpaque(json: Record<string, unknown>): void {
  const place = json[MARK] as PlaceMark;
  if (place.opaque !== true && place.refused === undefined) return;
  delete json[MARK];
  if (json['description'] === ANY_JSON) delete json['description'];
}

/** zod turns bigint literals into numbers, which loses digits. */
function describeLiteral(schema: ZodSchema, json: Record<string, unknown>, side: SchemaSide): void {
  const values = schema._zod.def['values'] as readonly unknown[];
  const bigints = values.filter((value) => typeof value === 'bigint');
  if (values.every((value) => value === undefined)) json['not'] = {};
  if (bigints.length === 0) return;
  const others = values.filter((value) => typeof value !== 'bigint' && value !== undefined);
  for (const keyword of ['type', 'const', 'enum']) delete json[keyword];
  const strings = { type: 'string', enum: bigints.map(String), [MARK]: codec(schema, side, 'bigint') };
  if (others.length === 0) Object.assign(json, strings);
  else json['anyOf'] = [strings, { enum: others }];
}

/** JSON Schema patterns have no flags and are read with `u`; a pattern that cannot be said so becomes a note. */
function describePatterns(schema: ZodSchema, json: Record<string, unknown>): void {
  const patterns = schema._zod.bag?.['patterns'];
  if (!(patterns instanceof Set)) return;
  const all = [...patterns].filter((pattern) => pattern instanceof RegExp);
  const portable = all.filter(isPortable);
  if (portable.length === all.length) return;
  delete json['pattern'];
  delete json['allOf'];
  if (portable.length === 1) json['pattern'] = portable[0]?.source;
  else if (portable.length > 1) json['allOf'] = portable.map((pattern) => ({ pattern: pattern.source }));
  for (const pattern of all) if (!portable.includes(pattern)) addNote(json, `Matches ${String(pattern)}.`);
}

function isPortable(pattern: RegExp): boolean {
  return !/[ismv]/.test(pattern.flags) && isUnicodePattern(pattern.source);
}

/** Bounds of dates and bigints, which a string schema cannot express. */
function boundsNote(schema: ZodSchema): string | undefined {
  const { minimum, maximum } = schema._zod.bag ?? {};
  const parts = [
    minimum === undefined || minimum === null ? '' : `not below ${boundText(minimum)}`,
    maximum === undefined || maximum === null ? '' : `not above ${boundText(maximum)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : `Must be ${parts.join(' and ')}.`;
}

function boundText(bound: unknown): string {
  return bound instanceof Date ? bound.toISOString() : String(bound);
}

function addNote(json: Record<string, unknown>, note: string | undefined): void {
  if (note === undefined) return;
  const { description } = json;
  if (typeof description === 'string' && description.includes(note)) return;
  json['description'] = typeof description === 'string' ? `${description} ${note}` : note;
}

function mark(json: Record<string, unknown>, place: PlaceMark): void {
  if (Object.keys(place).length > 0) json[MARK] = place;
}
