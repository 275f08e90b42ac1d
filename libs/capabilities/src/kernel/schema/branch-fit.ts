import type { JsonSchema } from '../json.js';
import { additionalOf, propertiesOf, strings } from './merge-objects.js';
import { parseDateTime } from './date-time.js';
import { dereference, type SchemaDocument } from './schema-references.js';
import { asSchema } from './schema-walk.js';

const MAX_DEPTH = 64;

/**
 * Which branches of unions the parts of one raw JSON value have the shape of. Every part is judged once by
 * each schema: without that, nested unions would cost time exponential in their depth.
 */
export class BranchFit {
  private readonly known = new Map<object, Map<JsonSchema, boolean>>();

  constructor(private readonly defs: SchemaDocument['defs']) {}

  /**
   * True when `value` has the shape of a branch: types, constants, bounds, required and declared members.
   * Only chooses which branch decodes; the parse stays the judge of the value.
   */
  of(schema: JsonSchema, value: unknown, depth = 0): boolean {
    if (typeof value !== 'object' || value === null) return this.judge(schema, value, depth);
    const judged = this.judgedOf(value);
    const known = judged.get(schema);
    if (known !== undefined) return known;
    const fits = this.judge(schema, value, depth);
    judged.set(schema, fits);
    return fits;
  }

  private judgedOf(value: object): Map<JsonSchema, boolean> {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const judged = new Map<JsonSchema, boolean>();
    this.known.set(value, judged);
    return judged;
  }

  private judge(schema: JsonSchema, value: unknown, depth: number): boolean {
    if (depth > MAX_DEPTH) return true;
    const target = dereference(schema, this.defs);
    if ('not' in target && Object.keys(asSchema(target['not'])).length === 0) return false;
    if ('const' in target && target['const'] !== value) return false;
    if (Array.isArray(target['enum']) && !target['enum'].includes(value)) return false;
    if (!fitsType(target['type'], value) || !fitsText(target, value) || !fitsBounds(target, value))
      return false;
    const fits: Fits = (part, item) => this.of(asSchema(part), item, depth + 1);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = target[keyword];
      if (Array.isArray(branches) && !branches.some((branch) => fits(branch, value))) return false;
    }
    const members = target['allOf'];
    if (Array.isArray(members) && !members.every((member) => fits(member, value))) return false;
    if (Array.isArray(value)) return fitsItems(target, value, fits);
    return (
      typeof value !== 'object' ||
      value === null ||
      fitsMembers(target, value as Record<string, unknown>, fits)
    );
  }
}

type Fits = (part: unknown, item: unknown) => boolean;

function fitsMembers(schema: JsonSchema, value: Record<string, unknown>, fits: Fits): boolean {
  if (!strings(schema['required']).every((key) => Object.hasOwn(value, key))) return false;
  const properties = propertiesOf(schema);
  const additional = additionalOf(schema);
  for (const key of Object.keys(value)) {
    const property = properties.get(key) ?? additional;
    if (property !== undefined && !fits(property, value[key])) return false;
  }
  return schema['additionalProperties'] !== false || Object.keys(value).every((key) => properties.has(key));
}

function fitsItems(schema: JsonSchema, items: readonly unknown[], fits: Fits): boolean {
  const prefix = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  return items.every((item, index) => {
    const part: unknown = index < prefix.length ? prefix[index] : schema['items'];
    return part === undefined || fits(part, item);
  });
}

function fitsType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => fitsType(one, value));
  switch (type) {
    case undefined:
      return true;
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function fitsText(schema: JsonSchema, value: unknown): boolean {
  if (typeof value !== 'string') return true;
  if (schema['format'] === 'date-time' && parseDateTime(value) === undefined) return false;
  return typeof schema['pattern'] !== 'string' || new RegExp(schema['pattern'], 'u').test(value);
}

function fitsBounds(schema: JsonSchema, value: unknown): boolean {
  if (typeof value === 'string') return within(value.length, schema['minLength'], schema['maxLength']);
  if (Array.isArray(value)) return within(value.length, schema['minItems'], schema['maxItems']);
  if (typeof value !== 'number') return true;
  const { exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false;
  if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf)) return false;
  return within(value, schema['minimum'], schema['maximum']);
}

function within(size: number, minimum: unknown, maximum: unknown): boolean {
  return !(typeof minimum === 'number' && size < minimum) && !(typeof maximum === 'number' && size > maximum);
}
