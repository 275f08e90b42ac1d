import { isRecord, type JsonSchema } from '../../../kernel/json.js';
import { closedObject, firstProblem, placesOf, type ProviderRule, rootRule } from './provider-rule.js';
import { STRICT_KEYWORDS } from './strict-schema.js';

/** A dated summary of "Structured Outputs, Supported schemas"; its figures agree with those quoted elsewhere in 2026. */
const source = 'https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai';
const read = '2026-11-30';

const manyProperties = (count: number): JsonSchema =>
  closedObject(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }])),
  );
const values = (count: number, length = 4): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(length, '0'));
const nested = (levels: number): JsonSchema =>
  levels === 0 ? { type: 'string' } : closedObject({ inner: nested(levels - 1) });

const namesOf = (schema: JsonSchema, keyword: string): readonly string[] => {
  const map = schema[keyword];
  return isRecord(map) ? Object.keys(map) : [];
};
const enumOf = (schema: JsonSchema): readonly unknown[] => {
  const { enum: listed } = schema;
  return Array.isArray(listed) ? (listed as readonly unknown[]) : [];
};
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const textLength = (list: readonly unknown[]): number => sum(list.map((value) => String(value).length));
const over = (what: string, found: number, limit: number): string | undefined =>
  found > limit ? `${found} ${what}, ${limit} are allowed` : undefined;

/** What `strict: true` adds. */
export const OPENAI_STRICT_RULES: readonly ProviderRule[] = [
  rootRule(
    {
      id: 'openai-strict/root',
      says: 'The root is an object and no anyOf.',
      source,
      read,
      refuses: { name: 'find', schema: { anyOf: [closedObject({})] } },
    },
    ['anyOf', 'oneOf', 'allOf', '$ref'],
  ),
  {
    id: 'openai-strict/closed',
    says: 'Every object has additionalProperties: false.',
    source,
    read,
    refuses: {
      name: 'find',
      schema: closedObject({ inner: { type: 'object', properties: {}, required: [] } }),
    },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: place }) =>
        place['type'] === 'object' && place['additionalProperties'] !== false ? 'an open object' : undefined,
      ),
  },
  {
    id: 'openai-strict/required',
    says: 'Every property is listed in required.',
    source,
    read,
    refuses: { name: 'find', schema: { ...closedObject({ id: { type: 'string' } }), required: [] } },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: place }) => {
        const { required } = place;
        const listed: readonly unknown[] = Array.isArray(required) ? required : [];
        const missing = namesOf(place, 'properties').find((name) => !listed.includes(name));
        return missing === undefined ? undefined : `${missing} is not required`;
      }),
  },
  {
    id: 'openai-strict/keywords',
    says: 'Only the documented keywords; no allOf, not, if, dependentRequired, default.',
    source,
    read,
    refuses: { name: 'find', schema: closedObject({ id: { type: 'string', default: 'x' } }) },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: place }) => {
        const foreign = Object.keys(place).find((keyword) => !STRICT_KEYWORDS.keywords.has(keyword));
        return foreign === undefined ? undefined : `the keyword ${foreign}`;
      }),
  },
  {
    id: 'openai-strict/typed',
    says: 'Every place has a type, an enumeration, alternatives or a reference.',
    source,
    read,
    refuses: { name: 'find', schema: closedObject({ any: { description: 'Anything.' } }) },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: place }) =>
        ['type', 'enum', 'const', 'anyOf', '$ref'].some((keyword) => keyword in place)
          ? undefined
          : 'an untyped place',
      ),
  },
  {
    id: 'openai-strict/properties',
    says: 'At most 5,000 object properties.',
    source,
    read,
    refuses: { name: 'find', schema: manyProperties(5_001) },
    check: ({ schema }) =>
      over(
        'properties',
        sum(placesOf(schema).map((place) => namesOf(place.schema, 'properties').length)),
        5_000,
      ),
  },
  {
    id: 'openai-strict/depth',
    says: 'At most 10 levels of nesting.',
    source,
    read,
    refuses: { name: 'find', schema: nested(11) },
    check: ({ schema }) => over('levels', Math.max(...placesOf(schema).map(({ depth }) => depth)), 10),
  },
  {
    id: 'openai-strict/enum-count',
    says: 'At most 1,000 enum values in all.',
    source,
    read,
    refuses: {
      name: 'find',
      schema: closedObject({
        a: { type: 'string', enum: values(501) },
        b: { type: 'string', enum: values(500) },
      }),
    },
    check: ({ schema }) =>
      over('enum values', sum(placesOf(schema).map((place) => enumOf(place.schema).length)), 1_000),
  },
  {
    id: 'openai-strict/enum-text',
    says: 'An enum of more than 250 strings has at most 15,000 characters.',
    source,
    read,
    refuses: { name: 'find', schema: closedObject({ a: { type: 'string', enum: values(251, 60) } }) },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: place }) => {
        const listed = enumOf(place);
        return listed.length > 250 ? over('characters in an enum', textLength(listed), 15_000) : undefined;
      }),
  },
  {
    id: 'openai-strict/text',
    says: 'Names, definitions, enum and const values have at most 120,000 characters in all.',
    source,
    read,
    refuses: {
      name: 'find',
      schema: closedObject(Object.fromEntries(values(130, 1_000).map((name) => [name, { type: 'string' }]))),
    },
    check: ({ schema }) => {
      const lengths = placesOf(schema).map(({ schema: place }) => {
        const { const: constant } = place;
        const texts = [...namesOf(place, 'properties'), ...namesOf(place, '$defs'), ...enumOf(place)];
        return textLength(constant === undefined ? texts : [...texts, constant]);
      });
      return over('characters of names and values', sum(lengths), 120_000);
    },
  },
];
