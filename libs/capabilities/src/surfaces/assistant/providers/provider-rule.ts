import { isRecord, type JsonSchema } from '../../../kernel/json.js';

/** Whose documented limits a tool is checked against; `openai-strict` is OpenAI with `strict: true`. */
export const PROVIDERS = ['openai', 'openai-strict', 'anthropic', 'gemini'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A tool as a provider would receive it. */
export interface ProviderTool {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** One documented limit. */
export interface ProviderRule {
  /** `provider/limit`. */
  readonly id: string;
  readonly says: string;
  /** Where it is written. */
  readonly source: string;
  /** When that was read, `YYYY-MM-DD`. */
  readonly read: string;
  /** A tool that this rule must refuse. */
  readonly refuses: ProviderTool;
  /** What is wrong with a tool; undefined when it passes. */
  check(tool: ProviderTool): string | undefined;
}

/** A place of a schema and the way to it. */
export interface SchemaPlace {
  readonly schema: JsonSchema;
  readonly path: string;
  /** Objects and arrays around it. */
  readonly depth: number;
}

const SINGLE = ['additionalProperties', 'items', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'dependentSchemas'];

/** Every place of a schema, the root first. */
export function placesOf(schema: JsonSchema, path = '#', depth = 0): readonly SchemaPlace[] {
  const inner = depth + (schema['type'] === 'object' || schema['type'] === 'array' ? 1 : 0);
  const below = (value: unknown, where: string): readonly SchemaPlace[] =>
    isRecord(value) ? placesOf(value, `${path}/${where}`, inner) : [];
  const many = (value: unknown, keyword: string): readonly SchemaPlace[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => below(member, `${keyword}/${key}`))
      : [];
  return [
    { schema, path, depth },
    ...SINGLE.flatMap((keyword) => below(schema[keyword], keyword)),
    ...[...LISTS, ...MAPS].flatMap((keyword) => many(schema[keyword], keyword)),
  ];
}

/** The first place with something wrong, told with its path. */
export function firstProblem(
  schema: JsonSchema,
  problemOf: (place: SchemaPlace) => string | undefined,
): string | undefined {
  for (const place of placesOf(schema)) {
    const problem = problemOf(place);
    if (problem !== undefined) return `${problem} at ${place.path}`;
  }
  return undefined;
}

/** An object schema with these properties, all of them required and no others. */
export function closedObject(properties: JsonSchema): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** A rule about the tool's name. */
export function nameRule(rule: Omit<ProviderRule, 'check'>, pattern: RegExp): ProviderRule {
  return {
    ...rule,
    check: ({ name }) =>
      pattern.test(name) ? undefined : `the name ${JSON.stringify(name)} is not accepted`,
  };
}

/** A rule that the root is an object schema without these keywords. */
export function rootRule(rule: Omit<ProviderRule, 'check'>, forbidden: readonly string[]): ProviderRule {
  return {
    ...rule,
    check: ({ schema }) => {
      if (schema['type'] !== 'object') return 'the root is no object';
      const found = forbidden.find((keyword) => keyword in schema);
      return found === undefined ? undefined : `${found} at the root`;
    },
  };
}
