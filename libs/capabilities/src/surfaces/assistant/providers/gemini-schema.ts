import type { JsonSchema } from '../../../kernel/json.js';
import { mapSubschemas } from '../../../kernel/schema/schema-walk.js';
import { acceptedKeywords, type AcceptedSchema } from './keyword-filter.js';

/** What Gemini documents for JSON Schemas of functions; see the rules in `gemini-rules.ts`. */
export const GEMINI_KEYWORDS: AcceptedSchema = {
  keywords: new Set(
    (
      'type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties ' +
      'additionalProperties required $ref $defs'
    ).split(' '),
  ),
  formats: new Set(['date-time', 'date', 'time']),
};

/** A portable schema in the subset that Gemini documents; everything else becomes a note in the description. */
export function geminiSchema(schema: JsonSchema): JsonSchema {
  if (typeof schema['$ref'] === 'string') return { $ref: schema['$ref'] };
  const { oneOf, const: constant, ...rest } = schema;
  const plain = {
    ...rest,
    ...(oneOf === undefined ? {} : { anyOf: oneOf }),
    ...(constant === undefined ? {} : { enum: [constant] }),
  };
  return acceptedKeywords(textualEnum(mapSubschemas(plain, geminiSchema)), GEMINI_KEYWORDS);
}

/** Enumerations hold strings or numbers; one of booleans or null is told in words. */
function textualEnum(schema: JsonSchema): JsonSchema {
  const { enum: values, ...rest } = schema;
  if (
    !Array.isArray(values) ||
    values.every((value) => typeof value === 'string' || typeof value === 'number')
  ) {
    return schema;
  }
  const type = values.every((value) => typeof value === 'boolean') ? { type: 'boolean' } : {};
  const allowed = `One of ${JSON.stringify(values)}.`;
  const { description } = rest;
  return {
    ...type,
    ...rest,
    description: typeof description === 'string' ? `${description} ${allowed}` : allowed,
  };
}
