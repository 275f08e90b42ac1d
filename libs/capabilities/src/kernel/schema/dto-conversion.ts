import type { JsonSchema } from '../json.js';
import type { DtoClass } from '../standard-schema.js';
import type { DtoProperty, DtoReader, DtoRule } from './dto-model.js';
import { enumValues, LENIENT, ruleSchema } from './dto-rules.js';
import { MARK } from './schema-adapter.js';
import { SchemaConversionError } from './schema-conversion-error.js';

export interface ConvertedDto {
  readonly document: JsonSchema;
  /** Every class that a parsed value may hold, the root first. */
  readonly classes: readonly DtoClass[];
}

/** Converts a class-validator DTO and the classes that its `@Type()`s name. */
export function convertDto(dto: DtoClass, read: DtoReader): ConvertedDto {
  const conversion = new DtoConversion(read);
  const root = conversion.object(dto);
  const { [conversion.nameOf(dto)]: _, ...others } = conversion.definitions();
  return { document: { ...root, $defs: others }, classes: conversion.classes() };
}

class DtoConversion {
  private readonly names = new Map<DtoClass, string>();
  private readonly schemas = new Map<string, JsonSchema>();
  private root: DtoClass | undefined;

  constructor(private readonly read: DtoReader) {}

  object(dto: DtoClass): JsonSchema {
    this.root ??= dto;
    const properties: [string, JsonSchema][] = [];
    const required: string[] = [];
    const name = this.nameOf(dto);
    this.schemas.set(name, {});
    for (const property of this.read(dto)) {
      properties.push([property.key, this.property(property, dto)]);
      if (isRequired(property)) required.push(property.key);
    }
    const schema = {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
    this.schemas.set(name, schema);
    return schema;
  }

  nameOf(dto: DtoClass): string {
    const known = this.names.get(dto);
    if (known !== undefined) return known;
    const taken = new Set(this.names.values());
    const base = dto.name === '' ? 'Anonymous' : dto.name;
    let name = base;
    for (let suffix = 2; taken.has(name); suffix++) name = `${base}_${suffix}`;
    this.names.set(dto, name);
    return name;
  }

  definitions(): Record<string, JsonSchema> {
    return Object.fromEntries(this.schemas);
  }

  classes(): DtoClass[] {
    return [...this.names.keys()];
  }

  private property(property: DtoProperty, owner: DtoClass): JsonSchema {
    const own = property.rules.filter((rule) => !rule.each && rule.kind === 'check');
    const items = property.rules.filter((rule) => rule.each && rule.kind === 'check');
    const nested = property.rules.some((rule) => rule.kind === 'nested');
    const fail = (problem: string, remedy: string): never => {
      throw new SchemaConversionError(
        `$.${property.key}`,
        `${owner.name}.${property.property} ${problem}`,
        remedy,
      );
    };
    const isArray =
      property.designType === Array ||
      items.length > 0 ||
      own.some((rule) => rule.name.startsWith('array') || rule.name === 'isArray');
    const valueType = property.type ?? (isArray ? undefined : property.designType);
    if (nested && property.type === undefined)
      fail('is nested but has no @Type()', 'Add @Type(() => TheClass).');
    if (isArray && property.type === undefined && items.length === 0) {
      fail(
        'is an array of unknown items',
        'Add @Type(() => TheClass) with @ValidateNested({ each: true }), or item validators such as @IsString({ each: true }).',
      );
    }
    if (isDto(valueType) && !nested && !own.some((rule) => rule.name === 'isObject')) {
      fail('is a class that is not validated', 'Add @ValidateNested() and @Type(() => TheClass).');
    }
    const value = nested ? this.nested(property) : typeSchema(valueType);
    const schema = isArray
      ? { ...apply({ type: 'array' }, own), items: apply(value, items, apiEnum(property)) }
      : apply(
          value,
          nested ? own.filter((rule) => rule.name !== 'isObject' && rule.name !== 'isNotEmptyObject') : own,
          apiEnum(property),
        );
    return annotate(schema, property);
  }

  private nested({ type, discriminator }: DtoProperty): JsonSchema {
    if (discriminator === undefined) return this.reference(type as DtoClass);
    const branches = discriminator.subtypes.map(({ type: subtype, value }) => ({
      allOf: [
        this.reference(subtype),
        {
          type: 'object',
          properties: { [discriminator.property]: { const: value } },
          required: [discriminator.property],
        },
      ],
    }));
    return { anyOf: branches };
  }

  private reference(dto: DtoClass): JsonSchema {
    const name = this.nameOf(dto);
    if (!this.schemas.has(name)) this.object(dto);
    return { $ref: dto === this.root ? '#' : `#/$defs/${name}` };
  }
}

function typeSchema(type: unknown): JsonSchema {
  switch (type) {
    case String:
      return { type: 'string' };
    case Number:
      return { type: 'number' };
    case Boolean:
      return { type: 'boolean' };
    case Date:
      return { type: 'string', format: 'date-time', [MARK]: { decode: 'date' } };
    case BigInt:
      return { type: 'string', pattern: '^-?\\d+$', [MARK]: { decode: 'bigint', bigint: true } };
    default:
      return {};
  }
}

function isDto(type: unknown): boolean {
  return (
    typeof type === 'function' &&
    ![String, Number, Boolean, Date, BigInt, Object, Array, Map, Set, Promise].includes(type as never)
  );
}

/** Rules win over the declared type, later rules complete earlier ones; an enumeration replaces the type. */
function apply(base: JsonSchema, rules: readonly DtoRule[], enumeration?: readonly unknown[]): JsonSchema {
  const notes: string[] = [];
  const patterns: unknown[] = [];
  let schema: Record<string, unknown> = { ...base };
  for (const rule of rules) {
    const { schema: part, note } = ruleSchema(rule);
    if (note !== undefined) notes.push(note);
    if (rule.name === 'isNotEmpty' && schema['type'] === 'string') schema['minLength'] ??= 1;
    const { pattern, type, ...rest } = part;
    if (pattern !== undefined) patterns.push(pattern);
    schema = { ...schema, ...rest };
    if (type !== undefined && !(type === 'number' && schema['type'] === 'integer')) schema['type'] = type;
  }
  if (enumeration !== undefined && !('enum' in schema)) schema['enum'] = enumeration;
  if ('enum' in schema || 'const' in schema) delete schema['type'];
  if (patterns.length === 1) schema['pattern'] = patterns[0];
  else if (patterns.length > 1) schema['allOf'] = patterns.map((pattern) => ({ pattern }));
  if (notes.length > 0) schema['description'] = notes.join(' ');
  return schema;
}

function annotate(schema: JsonSchema, { api, defaultValue, rules }: DtoProperty): JsonSchema {
  const conditional = rules.some((rule) => rule.kind === 'conditional' && rule.name !== 'isOptional');
  const texts = [
    api['description'],
    schema['description'],
    conditional ? 'Needed under a condition.' : undefined,
  ];
  const description = texts.filter((part) => typeof part === 'string' && part !== '').join(' ');
  const initial = defaultValue instanceof Date ? defaultValue.toISOString() : defaultValue;
  return {
    ...schema,
    ...(description !== '' && { description }),
    ...(api['example'] !== undefined && { examples: [api['example']] }),
    ...(isJsonDefault(initial) && { default: initial }),
  };
}

function isJsonDefault(value: unknown): boolean {
  if (value === undefined) return false;
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** `@ApiProperty({ enum })`, as given or as rewritten for arrays. */
function apiEnum({ api }: DtoProperty): readonly unknown[] | undefined {
  const declared = api['enum'] ?? (api['items'] as { enum?: unknown } | undefined)?.enum;
  const values = enumValues(declared);
  return values.length > 0 ? values : undefined;
}

/** class-validator skips a missing nested value, and rules such as `notEquals` accept it. */
function isRequired({ rules, defaultValue }: DtoProperty): boolean {
  if (defaultValue !== undefined || rules.some((rule) => rule.kind === 'conditional')) return false;
  return rules.some((rule) => rule.kind === 'check' && !LENIENT.has(rule.name));
}
