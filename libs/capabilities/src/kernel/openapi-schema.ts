import type { JsonSchema } from './json.js';
import { asSchema, mapEntries } from './schema/schema-walk.js';

export interface OpenApiSchemaOptions {
  /** What replaces `#/$defs/`, such as `#/components/schemas/`. */
  readonly refPrefix: string;
}

type OpenApiSchema = Record<string, unknown>;

/** Keywords that OpenAPI 3.0 shares with JSON Schema and that hold no subschema. */
const SHARED: ReadonlySet<string> = new Set(
  (
    'title description default deprecated format multipleOf maximum minimum maxLength minLength pattern maxItems minItems ' +
    'uniqueItems maxProperties minProperties required'
  ).split(' '),
);
const DEFS = '#/$defs/';

/**
 * A JSON Schema 2020-12 as a Schema Object of OpenAPI 3.0.3 (section 4.7.24). References to
 * `#/$defs/Name` become `refPrefix + Name`; `$defs` itself is left out. What 3.0 has no word for is
 * loosened, never tightened, and said in the description.
 */
export function toOpenApiSchema(schema: JsonSchema, options: OpenApiSchemaOptions): OpenApiSchema {
  const convert = (value: unknown): OpenApiSchema => toOpenApiSchema(asSchema(value), options);
  const ref = schema['$ref'];
  if (typeof ref === 'string') return reference(ref, schema, options);
  const notes: string[] = [];
  const result: OpenApiSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'required' && (!Array.isArray(value) || value.length === 0)) continue;
    if (SHARED.has(key) || key.startsWith('x-')) result[key] = value;
  }
  applyType(schema, result, options);
  applyValues(schema, result);
  applyBounds(schema, result);
  applyObject(schema, result, notes, convert);
  applyArray(schema, result, notes, convert);
  applyCombinators(schema, result, convert);
  applyRest(schema, result, notes);
  if (notes.length > 0) {
    const { description } = result;
    result['description'] = [...(typeof description === 'string' ? [description] : []), ...notes].join(' ');
  }
  return result;
}

/** In 3.0 the siblings of `$ref` are ignored, so they go around it. */
function reference(ref: string, schema: JsonSchema, options: OpenApiSchemaOptions): OpenApiSchema {
  const target = { $ref: ref.startsWith(DEFS) ? options.refPrefix + ref.slice(DEFS.length) : ref };
  const { $ref: _, $defs: __, ...siblings } = schema;
  if (Object.keys(siblings).length === 0) return target;
  const rest = toOpenApiSchema(siblings, options);
  const { allOf } = rest;
  return { ...rest, allOf: [target, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])] };
}

function applyType(schema: JsonSchema, result: OpenApiSchema, options: OpenApiSchemaOptions): void {
  const { type } = schema;
  if (!Array.isArray(type)) {
    if (type === 'null') Object.assign(result, { enum: [null], nullable: true });
    else if (type !== undefined) result['type'] = type;
    return;
  }
  const types = type.filter((one) => one !== 'null');
  if (types.length < type.length) result['nullable'] = true;
  if (types.length === 1) result['type'] = types[0];
  else if (types.length === 0) result['enum'] = [null];
  else
    result['anyOf'] = types.map((one) =>
      toOpenApiSchema(
        { type: one as unknown, ...(one === 'array' && { items: schema['items'] ?? {} }) },
        options,
      ),
    );
}

/** `const` is an enumeration of one. 3.0 wants `nullable` beside a null in an enumeration, and a type beside `nullable`. */
function applyValues(schema: JsonSchema, result: OpenApiSchema): void {
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(values)) {
    result['enum'] = values;
    if (values.includes(null)) result['nullable'] = true;
    const types = new Set(values.filter((value) => value !== null).map((value) => typeof value));
    const [only] = types;
    if (
      result['type'] === undefined &&
      types.size === 1 &&
      ['string', 'number', 'boolean'].includes(only ?? '')
    )
      result['type'] = only;
  }
  const { examples } = schema;
  if (Array.isArray(examples) && examples.length > 0) result['example'] = examples[0] as unknown;
}

function applyBounds(schema: JsonSchema, result: OpenApiSchema): void {
  applyExclusive(
    result,
    'minimum',
    'exclusiveMinimum',
    schema['exclusiveMinimum'],
    (bound, inclusive) => bound >= inclusive,
  );
  applyExclusive(
    result,
    'maximum',
    'exclusiveMaximum',
    schema['exclusiveMaximum'],
    (bound, inclusive) => bound <= inclusive,
  );
}

/** 3.0 has one bound a side and a flag that excludes it; of two bounds the stricter one stays. */
function applyExclusive(
  result: OpenApiSchema,
  bound: string,
  flag: string,
  exclusive: unknown,
  isStricter: (exclusive: number, inclusive: number) => boolean,
): void {
  if (typeof exclusive !== 'number') return;
  const inclusive = result[bound];
  if (typeof inclusive === 'number' && !isStricter(exclusive, inclusive)) return;
  result[bound] = exclusive;
  result[flag] = true;
}

type Convert = (value: unknown) => OpenApiSchema;

function applyObject(schema: JsonSchema, result: OpenApiSchema, notes: string[], convert: Convert): void {
  if (isObject(schema['properties'])) result['properties'] = mapEntries(schema['properties'], convert);
  const { additionalProperties: additional, patternProperties: patterns } = schema;
  if (isObject(patterns) && Object.keys(patterns).length > 0) {
    const forms = Object.values(patterns);
    const others = additional === undefined || additional === false ? [] : [additional];
    const [only, ...rest] = [...forms, ...others].map(convert);
    result['additionalProperties'] = rest.length === 0 ? (only ?? true) : { anyOf: [only, ...rest] };
    notes.push(
      `Keys match: ${Object.keys(patterns)
        .map((pattern) => `/${pattern}/`)
        .join(', ')}.`,
    );
  } else if (additional !== undefined) {
    result['additionalProperties'] =
      typeof additional === 'boolean' ? additional : openOr(convert(additional));
  }
  const names = schema['propertyNames'];
  if (isObject(names)) {
    if (typeof names['pattern'] === 'string') notes.push(`Keys match /${names['pattern']}/.`);
    else if (Array.isArray(names['enum'])) notes.push(`Keys are among ${names['enum'].join(', ')}.`);
  }
}

function openOr(schema: OpenApiSchema): OpenApiSchema | true {
  return Object.keys(schema).length === 0 ? true : schema;
}

/** 3.0 requires `items` and knows no positions: a tuple becomes an array of any of its items. */
function applyArray(schema: JsonSchema, result: OpenApiSchema, notes: string[], convert: Convert): void {
  const prefix = schema['prefixItems'];
  if (Array.isArray(prefix)) {
    const rest = 'items' in schema && !isNever(schema['items']) ? [schema['items']] : [];
    const forms = [...(prefix as unknown[]), ...rest].map(convert);
    const distinct = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
    result['items'] = distinct.length === 1 ? distinct[0] : distinct.length === 0 ? {} : { anyOf: distinct };
    if (isNever(schema['items'])) result['maxItems'] ??= prefix.length;
    notes.push('Items are positional.');
  } else if ('items' in schema) result['items'] = convert(schema['items']);
  else if (result['type'] === 'array') result['items'] = {};
  if ('contains' in schema) notes.push('Must contain an item of a given form.');
}

function isNever(value: unknown): boolean {
  return (
    value === false || (isObject(value) && isObject(value['not']) && Object.keys(value['not']).length === 0)
  );
}

function applyCombinators(schema: JsonSchema, result: OpenApiSchema, convert: Convert): void {
  if (Array.isArray(schema['allOf'])) result['allOf'] = schema['allOf'].map(convert);
  if ('not' in schema) result['not'] = convert(schema['not']);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) applyUnion(keyword, branches, result, convert);
  }
}

/** A null branch is `nullable`; a reference cannot carry it and is wrapped. */
function applyUnion(
  keyword: 'anyOf' | 'oneOf',
  branches: readonly unknown[],
  result: OpenApiSchema,
  convert: Convert,
): void {
  const others = branches.filter((branch) => !isNull(branch)).map(convert);
  const nullable = others.length < branches.length;
  const [only, ...rest] = others;
  if (!nullable || only === undefined) {
    result[keyword] = nullable ? [{ enum: [null], nullable: true }] : others;
  } else if (rest.length > 0) {
    // A schema with `nullable` and no `type` does not admit null in 3.0.3: null stays a branch of its own.
    result[keyword] = [...others, { enum: [null], nullable: true }];
  } else if ('$ref' in only) {
    result['nullable'] = true;
    result['allOf'] = [...((result['allOf'] as unknown[] | undefined) ?? []), only];
  } else mergeNullable(only, result);
}

function mergeNullable(schema: OpenApiSchema, result: OpenApiSchema): void {
  for (const [key, value] of Object.entries(schema)) result[key] ??= value;
  result['nullable'] = true;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null))
    result['enum'] = [...(schema['enum'] as unknown[]), null];
}

function isNull(value: unknown): boolean {
  return isObject(value) && (value['type'] === 'null' || value['const'] === null);
}

/** What has no counterpart at all, in words. */
function applyRest(schema: JsonSchema, result: OpenApiSchema, notes: string[]): void {
  if ('if' in schema) notes.push('Further rules apply under a condition.');
  if ('dependentRequired' in schema || 'dependentSchemas' in schema)
    notes.push('Some properties require others.');
  if (schema['unevaluatedProperties'] === false) notes.push('Other properties are refused.');
  if (typeof schema['contentMediaType'] === 'string')
    notes.push(`Content type ${schema['contentMediaType']}.`);
  if (schema['contentEncoding'] === 'base64') result['format'] ??= 'byte';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
