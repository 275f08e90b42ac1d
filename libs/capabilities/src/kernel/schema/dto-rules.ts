import type { JsonSchema } from '../json.js';
import type { DtoRule } from './dto-model.js';
import { isUnicodePattern } from './regex-pattern.js';
import { MARK } from './schema-adapter.js';

/** What one rule says in JSON Schema, and in words where JSON Schema cannot say it. */
export interface RuleSchema {
  readonly schema: JsonSchema;
  readonly note?: string;
}

type Convert = (constraints: readonly unknown[]) => RuleSchema;

const plain =
  (schema: JsonSchema): Convert =>
  () => ({ schema });
const text = (schema: JsonSchema): Convert => plain({ type: 'string', ...schema });
const first =
  (build: (value: unknown) => JsonSchema): Convert =>
  ([value]) => ({ schema: build(value) });
const dateTime = { type: 'string', format: 'date-time', [MARK]: { decode: 'date' } };

const RULES: Readonly<Record<string, Convert>> = {
  isString: text({}),
  isBoolean: plain({ type: 'boolean' }),
  isInt: plain({ type: 'integer' }),
  isNumber: ([options]) => ({ schema: { type: 'number' }, ...decimals(options) }),
  isPositive: plain({ type: 'number', exclusiveMinimum: 0 }),
  isNegative: plain({ type: 'number', exclusiveMaximum: 0 }),
  min: first((minimum) => ({ type: 'number', minimum })),
  max: first((maximum) => ({ type: 'number', maximum })),
  isDivisibleBy: first((multipleOf) => ({ type: 'number', multipleOf })),
  isDate: plain(dateTime),
  minDate: ([date]) => ({ schema: dateTime, note: dateNote('Not before', date) }),
  maxDate: ([date]) => ({ schema: dateTime, note: dateNote('Not after', date) }),
  isArray: plain({ type: 'array' }),
  arrayNotEmpty: plain({ type: 'array', minItems: 1 }),
  arrayMinSize: first((minItems) => ({ type: 'array', minItems })),
  arrayMaxSize: first((maxItems) => ({ type: 'array', maxItems })),
  arrayUnique: ([identity]) =>
    identity === undefined
      ? { schema: { type: 'array', uniqueItems: true } }
      : { schema: { type: 'array' }, note: 'Items must be unique.' },
  arrayContains: ([values]) => ({
    schema: { type: 'array' },
    note: `Must contain ${JSON.stringify(values)}.`,
  }),
  arrayNotContains: ([values]) => ({
    schema: { type: 'array' },
    note: `Must not contain ${JSON.stringify(values)}.`,
  }),
  isObject: plain({ type: 'object', additionalProperties: {} }),
  isNotEmptyObject: plain({ type: 'object', additionalProperties: {}, minProperties: 1 }),
  isEnum: ([entity, values]) => ({ schema: { enum: Array.isArray(values) ? values : enumValues(entity) } }),
  isIn: first((values) => ({ enum: Array.isArray(values) ? values : [] })),
  isNotIn: first((values) => ({ not: { enum: Array.isArray(values) ? values : [] } })),
  equals: first((value) => ({ const: value })),
  notEquals: first((value) => ({ not: { const: value } })),
  minLength: first((minLength) => ({ type: 'string', minLength })),
  maxLength: first((maxLength) => ({ type: 'string', maxLength })),
  isLength: ([minLength, maxLength]) => ({
    schema: { type: 'string', minLength, ...(maxLength !== undefined && { maxLength }) },
  }),
  matches: ([pattern]) => patternRule(pattern),
  contains: first((seed) => ({ type: 'string', pattern: escapeRegExp(String(seed)) })),
  isEmail: text({ format: 'email' }),
  isUuid: text({ format: 'uuid' }),
  isRFC3339: text({ format: 'date-time' }),
  isIp: ([version]) => ({ schema: { type: 'string', ...ipFormat(version) } }),
  isFqdn: text({ format: 'hostname' }),
  isMongoId: text({ pattern: '^[0-9a-fA-F]{24}$' }),
  isNotEmpty: plain({}),
  isDefined: plain({}),
  isLatitude: () => ({ schema: { type: ['number', 'string'] }, note: 'A latitude.' }),
  isLongitude: () => ({ schema: { type: ['number', 'string'] }, note: 'A longitude.' }),
  isEmpty: () => ({ schema: {}, note: 'Must be empty.' }),
  isInstance: () => ({ schema: {}, note: 'Checked by isInstance.' }),
};

/** Validators of strings whose form JSON Schema has no word for. */
const TEXT_RULES: ReadonlySet<string> = new Set(
  (
    'isLocale isISO31661Alpha2 isISO31661Alpha3 isISO31661Numeric isCreditCard isLowercase isUppercase isCurrency isNumberString ' +
    'isMilitaryTime isSurrogatePair isIso8601 isUrl isPassportNumber isMacAddress isTimeZone isISRC isHexadecimal isEthereumAddress ' +
    'isBIC isBase58 isBase64 isBase32 isHash isEAN isVariableWidth isOctal isPhoneNumber isTaxId isJwt isByteLength isPort ' +
    'isMagnetURI isJson isAlpha isAlphanumeric isIsin isDataURI isBooleanString isISO4217CurrencyCode isISO6391 isIdentityCard isISSN ' +
    'isFullWidth isHalfWidth isDateString isIBAN notContains isStrongPassword isRgbColor isHexColor isMimeType isSemVer isMultibyte ' +
    'isMobilePhone isAscii isIsbn isHSL isPostalCode isBtcAddress IsFirebasePushId isDecimal'
  ).split(' '),
);

/** Validators that accept a property that is not there. */
export const LENIENT: ReadonlySet<string> = new Set(['notEquals', 'isNotIn', 'isEmpty']);

/** Converts one rule; a custom validator becomes a note and stays enforced. */
export function ruleSchema(rule: DtoRule): RuleSchema {
  const convert = Object.hasOwn(RULES, rule.name) ? RULES[rule.name] : undefined;
  if (convert !== undefined) return convert(rule.constraints);
  const note = `Checked by ${rule.name}.`;
  return TEXT_RULES.has(rule.name) ? { schema: { type: 'string' }, note } : { schema: {}, note };
}

/** The values of a TypeScript enum: a numeric one also maps numbers to names. */
export function enumValues(entity: unknown): unknown[] {
  if (Array.isArray(entity)) return entity;
  if (typeof entity !== 'object' || entity === null) return [];
  return Object.entries(entity)
    .filter(([key]) => Number.isNaN(Number(key)))
    .map(([, value]) => value as unknown);
}

function patternRule(pattern: unknown): RuleSchema {
  const source = pattern instanceof RegExp ? pattern.source : String(pattern);
  const flags = pattern instanceof RegExp ? pattern.flags : '';
  if (!/[ismv]/.test(flags) && isUnicodePattern(source))
    return { schema: { type: 'string', pattern: source } };
  return { schema: { type: 'string' }, note: `Matches ${String(pattern)}.` };
}

function ipFormat(version: unknown): JsonSchema {
  if (version === 4 || version === '4') return { format: 'ipv4' };
  return version === 6 || version === '6' ? { format: 'ipv6' } : {};
}

function decimals(options: unknown): { readonly note?: string } {
  const places = (options as { maxDecimalPlaces?: unknown } | undefined)?.maxDecimalPlaces;
  return typeof places === 'number' ? { note: `At most ${places} decimal places.` } : {};
}

function dateNote(words: string, date: unknown): string {
  return date instanceof Date ? `${words} ${date.toISOString()}.` : `${words} a moving date.`;
}

function escapeRegExp(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
