import { isRecord } from '../kernel/json.js';
import type { CatalogueTool } from './catalogue-tool.js';
import { printDeclarations } from './print-declarations.js';
import { byName } from './select-within-budget.js';

const DEFAULT_SEARCH_LIMIT = 5;

const WEIGHTS = { segment: 20, path: 8, description: 4, input: 2 } as const;

export interface SearchRequest {
  /** Words, or an exact tool name. Empty finds everything. */
  readonly query?: string;
  /** Matches in one page, a positive integer. Default 5. */
  readonly limit?: number;
  /** Matches to skip, an integer of zero or more. Default 0. */
  readonly offset?: number;
}

export interface SearchMatch {
  readonly name: string;
  readonly description: string;
  readonly score: number;
  /** The complete TypeScript declaration of this tool. */
  readonly signature: string;
}

export interface SearchPage {
  readonly matches: readonly SearchMatch[];
  readonly offset: number;
  /** Matches after this page. */
  readonly remaining: number;
  /** Where the next page starts; null on the last one. */
  readonly next: { readonly offset: number } | null;
  /** Size of the catalogue, whatever matched. */
  readonly total: number;
}

/**
 * One page of the tools that fit a query, best first, then by name. A query that is a tool's exact name
 * (bare, `tools.name` or `tools["name"]`) finds only that tool. The order does not depend on the order of `tools`.
 */
export function searchTools(tools: readonly CatalogueTool[], request: SearchRequest = {}): SearchPage {
  const { query = '', limit = DEFAULT_SEARCH_LIMIT, offset = 0 } = request;
  const ranked = rank(tools, query.trim());
  const page = ranked.slice(offset, offset + limit);
  const remaining = Math.max(0, ranked.length - offset - page.length);
  return {
    matches: page.map(({ tool, score }) => ({
      name: tool.name,
      description: tool.description,
      score,
      signature: printDeclarations([tool]),
    })),
    offset,
    remaining,
    next: remaining > 0 ? { offset: offset + page.length } : null,
    total: tools.length,
  };
}

interface Ranked {
  readonly tool: CatalogueTool;
  readonly score: number;
}

function rank(tools: readonly CatalogueTool[], query: string): readonly Ranked[] {
  const exact = tools.find(({ name }) =>
    [name, `tools.${name}`, `tools[${JSON.stringify(name)}]`].includes(query),
  );
  if (exact !== undefined) return [{ tool: exact, score: WEIGHTS.segment }];
  const tokens = tokensOf(query);
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, tokens) }));
  const kept = query === '' ? scored : scored.filter(({ score }) => score > 0);
  return kept.sort((a, b) => b.score - a.score || byName(a.tool, b.tool));
}

/** The words of a query, each with the forms it may have without a plural ending. */
function tokensOf(query: string): readonly (readonly string[])[] {
  const words = query
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return [...new Set(words)].map((word) => [
    word,
    ...(word.length > 3 && word.endsWith('es') ? [word.slice(0, -2)] : []),
    ...(word.length > 2 && word.endsWith('s') ? [word.slice(0, -1)] : []),
  ]);
}

function scoreOf(tool: CatalogueTool, tokens: readonly (readonly string[])[]): number {
  const { path, segments, description, input } = indexOf(tool);
  let score = 0;
  for (const forms of tokens) {
    const inSome = (text: string): boolean => forms.some((form) => text.includes(form));
    if (forms.some((form) => form === path || segments.has(form))) score += WEIGHTS.segment;
    if (inSome(path)) score += WEIGHTS.path;
    if (inSome(description)) score += WEIGHTS.description;
    if (inSome(input)) score += WEIGHTS.input;
  }
  return score;
}

interface SearchIndex {
  readonly path: string;
  readonly segments: ReadonlySet<string>;
  readonly description: string;
  readonly input: string;
}

const indexes = new WeakMap<CatalogueTool, SearchIndex>();

function indexOf(tool: CatalogueTool): SearchIndex {
  const known = indexes.get(tool);
  if (known !== undefined) return known;
  const path = tool.name.toLowerCase();
  const index: SearchIndex = {
    path,
    segments: new Set(path.split(/[._-]/)),
    description: tool.description.toLowerCase(),
    input: inputText(tool.input).join(' ').toLowerCase(),
  };
  indexes.set(tool, index);
  return index;
}

/** Names and descriptions of everything an input holds. */
function inputText(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(inputText);
  if (!isRecord(schema)) return [];
  const { description, properties, $defs, items, prefixItems, anyOf, oneOf, allOf } = schema;
  const named = [properties, $defs].flatMap((group) =>
    isRecord(group) ? Object.entries(group).flatMap(([name, value]) => [name, ...inputText(value)]) : [],
  );
  const nested = [items, prefixItems, anyOf, oneOf, allOf].flatMap(inputText);
  return [...(typeof description === 'string' ? [description] : []), ...named, ...nested];
}
