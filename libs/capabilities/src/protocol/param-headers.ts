import { isRecord, type JsonSchema } from '../kernel/json.js';
import type { HeaderMap } from './exchange.js';
import { decodeFieldValue } from './header-value.js';
import { headerMismatch, type RpcError } from './rpc-error.js';

/** A tool argument that the client repeats in an `Mcp-Param-*` header. */
export interface ParamHeader {
  /** Lower-case name of the header field. */
  readonly field: string;
  /** Keys from the arguments to the value. */
  readonly path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
/** `token` of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * The annotated parameters of an input schema. Throws `TypeError` for an annotation that clients must drop:
 * not a token, not unique, not on a string, integer or boolean, or not reached through `properties` alone.
 */
export function scanParamHeaders(schema: JsonSchema, tool: string): readonly ParamHeader[] {
  const found: ParamHeader[] = [];
  const seen = new Set<string>();
  const visit = (node: unknown, path: readonly string[], reachable: boolean): void => {
    if (Array.isArray(node)) return node.forEach((item) => visit(item, path, false));
    if (!isRecord(node)) return;
    if (path.length > 0 && Object.hasOwn(node, ANNOTATION)) {
      found.push(accept(node, path, reachable, seen, tool));
    }
    for (const [keyword, child] of Object.entries(node)) {
      if (VALUE_KEYWORDS.has(keyword)) continue;
      if (keyword !== 'properties' || !isRecord(child)) {
        visit(child, [...path, keyword], false);
        continue;
      }
      for (const [name, property] of Object.entries(child)) visit(property, [...path, name], reachable);
    }
  };
  visit(schema, [], true);
  return Object.freeze(found);
}

/** Keywords whose content is data, not schema. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', ANNOTATION]);

function accept(
  node: Record<string, unknown>,
  path: readonly string[],
  reachable: boolean,
  seen: Set<string>,
  tool: string,
): ParamHeader {
  const name = node[ANNOTATION];
  const where = `${tool}: "${ANNOTATION}" at ${path.join('.')}`;
  if (typeof name !== 'string' || !TOKEN.test(name)) throw new TypeError(`${where} is not a header token.`);
  if (!reachable) throw new TypeError(`${where} must be reached through "properties" alone.`);
  if (!TYPES.has(node['type'])) throw new TypeError(`${where} must be on a string, integer or boolean.`);
  const field = `mcp-param-${name.toLowerCase()}`;
  if (seen.has(field)) throw new TypeError(`${where} is used twice (header names ignore case).`);
  seen.add(field);
  return Object.freeze({ field, path: Object.freeze([...path]) });
}

/** The first disagreement between arguments and `Mcp-Param-*` headers, or undefined. */
export function paramHeaderProblem(
  declared: readonly ParamHeader[],
  args: unknown,
  headers: HeaderMap,
): RpcError | undefined {
  for (const { field, path } of declared) {
    const value = valueAt(args, path);
    if (value === undefined || value === null) continue;
    const raw = headers[field];
    if (raw === undefined) return headerMismatch(`The ${field} header is missing`);
    const sent = decodeFieldValue(raw);
    if (sent === undefined || !agrees(sent, value)) {
      return headerMismatch(`The ${field} header differs from the argument`);
    }
  }
  return undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (!isRecord(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

function agrees(sent: string, value: unknown): boolean {
  if (typeof value === 'number') return /^-?\d+(?:\.\d+)?$/.test(sent) && Number(sent) === value;
  return sent === (typeof value === 'string' ? value : JSON.stringify(value));
}
