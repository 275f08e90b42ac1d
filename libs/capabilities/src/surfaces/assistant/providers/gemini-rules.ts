import type { JsonSchema } from '../../../kernel/json.js';
import { GEMINI_KEYWORDS } from './gemini-schema.js';
import {
  closedObject,
  firstProblem,
  nameRule,
  type ProviderRule,
  placesOf,
  rootRule,
} from './provider-rule.js';

const DECLARATION =
  'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder';
const SUBSET =
  'https://pub.dev/documentation/googleapis/15.0.0/aiplatform_v1/GoogleCloudAiplatformV1GenerationConfig/responseJsonSchema.html';
const read = '2026-11-30';

const TREE: JsonSchema = {
  ...closedObject({ root: { $ref: '#/$defs/Node' } }),
  $defs: { Node: closedObject({ next: { $ref: '#/$defs/Node' } }) },
};

/** Function declarations with a JSON Schema. */
export const GEMINI_RULES: readonly ProviderRule[] = [
  nameRule(
    {
      id: 'gemini/name',
      says: 'A name starts with a letter or underscore; letters, digits, underscores, dots and dashes, 64 at most.',
      source: DECLARATION,
      read,
      refuses: { name: '2fa_reset', schema: closedObject({}) },
    },
    /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  ),
  rootRule(
    {
      id: 'gemini/root',
      says: 'The schema describes an object whose properties are the parameters.',
      source: DECLARATION,
      read,
      refuses: { name: 'find', schema: { type: 'array', items: { type: 'string' } } },
    },
    ['anyOf', 'oneOf', '$ref'],
  ),
  {
    id: 'gemini/keywords',
    says: 'Only the supported keywords of JSON Schema.',
    source: SUBSET,
    read,
    refuses: { name: 'find', schema: closedObject({ id: { type: 'string', minLength: 1 } }) },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: place }) => {
        const foreign = Object.keys(place).find((keyword) => !GEMINI_KEYWORDS.keywords.has(keyword));
        return foreign === undefined ? undefined : `the keyword ${foreign}`;
      }),
  },
  {
    id: 'gemini/enum',
    says: 'enum is for strings and numbers.',
    source: SUBSET,
    read,
    refuses: { name: 'find', schema: closedObject({ on: { type: 'boolean', enum: [true] } }) },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: { enum: listed } }) => {
        const other =
          Array.isArray(listed) && listed.some((value) => !['string', 'number'].includes(typeof value));
        return other ? 'an enum of other values' : undefined;
      }),
  },
  {
    id: 'gemini/reference-alone',
    says: 'Beside $ref only keywords that start with $ may be set.',
    source: SUBSET,
    read,
    refuses: { name: 'find', schema: closedObject({ a: { $ref: '#', description: 'Again.' } }) },
    check: ({ schema }) =>
      firstProblem(schema, ({ schema: place }) => {
        const beside =
          '$ref' in place ? Object.keys(place).find((keyword) => !keyword.startsWith('$')) : undefined;
        return beside === undefined ? undefined : `${beside} beside $ref`;
      }),
  },
  {
    id: 'gemini/optional-recursion',
    says: 'Cyclic references may only be used within properties that are not required.',
    source: SUBSET,
    read,
    refuses: { name: 'find', schema: TREE },
    check: ({ schema }) => cyclicRequirement(schema),
  },
];

/** A definition that requires itself, through required properties only. */
function cyclicRequirement(root: JsonSchema): string | undefined {
  const definitions = (root['$defs'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const needs = new Map(
    Object.entries(definitions).map(([name, schema]) => [`#/$defs/${name}`, requiredReferences(schema)]),
  );
  needs.set('#', requiredReferences(root));
  for (const start of needs.keys()) {
    const seen = new Set<string>();
    const open = [...needs.get(start)!];
    while (open.length > 0) {
      const next = open.pop()!;
      if (next === start) return `${start} requires itself`;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(needs.get(next) ?? []));
    }
  }
  return undefined;
}

function requiredReferences(schema: JsonSchema): readonly string[] {
  const { properties, required, $ref } = schema;
  const listed: readonly unknown[] = Array.isArray(required) ? required : [];
  const entries = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  const needed = entries.filter(([name]) => listed.includes(name)).map(([, property]) => property);
  const inside = needed.flatMap((property) =>
    placesOf(property).flatMap((place) =>
      typeof place.schema['$ref'] === 'string' ? [place.schema['$ref']] : [],
    ),
  );
  return typeof $ref === 'string' ? [$ref, ...inside] : inside;
}
