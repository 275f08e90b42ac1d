import type { JsonSchema } from '../../../kernel/json.js';

/** What a provider accepts in a schema. */
export interface AcceptedSchema {
  readonly keywords: ReadonlySet<string>;
  readonly formats: ReadonlySet<unknown>;
}

/** Keywords whose loss changes nothing that a model should know. */
const SILENT: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/**
 * One place of a schema without the keywords that a provider does not accept. What was left out is told in the
 * description; the capability's own schema still enforces it when the tool is called.
 */
export function acceptedKeywords(schema: JsonSchema, accepted: AcceptedSchema): JsonSchema {
  const kept: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (accepts(keyword, value, accepted)) kept[keyword] = value;
    else if (!SILENT.has(keyword)) notes.push(`${keyword} ${JSON.stringify(value)}`);
  }
  if (notes.length === 0 || '$ref' in kept) return kept;
  const { description } = kept;
  const rules = `Rules: ${notes.join(', ')}.`;
  return { ...kept, description: typeof description === 'string' ? `${description} ${rules}` : rules };
}

function accepts(keyword: string, value: unknown, { keywords, formats }: AcceptedSchema): boolean {
  if (!keywords.has(keyword)) return false;
  if (keyword === 'format') return formats.has(value);
  // Lookaround needs backtracking, which constrained decoding does not do.
  return keyword !== 'pattern' || !/\(\?(?:[=!]|<[=!])/.test(String(value));
}
