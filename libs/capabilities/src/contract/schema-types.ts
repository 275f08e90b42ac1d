import { isRecord, type JsonSchema } from '../kernel/json.js';

const SCALAR: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'null']);
const NUMERIC: ReadonlySet<string> = new Set(['number', 'integer']);
const SCALAR_OR_LIST: ReadonlySet<string> = new Set([...SCALAR, 'array']);

/** Kinds of values that a field may have to hold. A list holds scalars. */
export const FIELD_KINDS = { scalar: SCALAR, numeric: NUMERIC, scalarOrList: SCALAR_OR_LIST } as const;

/**
 * True when some branch of `schema` allows a value of that kind; a schema that names no type
 * allows all. Local references are looked up in `root`.
 */
export function admits(schema: unknown, root: JsonSchema, kind: ReadonlySet<string>): boolean {
  return admitsOnce(schema, root, kind, new Set());
}

function admitsOnce(
  schema: unknown,
  root: JsonSchema,
  kind: ReadonlySet<string>,
  seen: Set<unknown>,
): boolean {
  if (!isRecord(schema)) return schema !== false;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const target = typeof schema['$ref'] === 'string' ? resolve(schema['$ref'], root) : undefined;
  if (target !== undefined) return admitsOnce(target, root, kind, seen);
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches))
    return branches.some((branch: unknown) => admitsOnce(branch, root, kind, seen));
  const { type, items } = schema;
  if (type === 'array' && kind.has('array'))
    return items === undefined || admitsOnce(items, root, SCALAR, seen);
  if (typeof type === 'string') return kind.has(type);
  return Array.isArray(type) ? type.some((entry: unknown) => kind.has(String(entry))) : true;
}

/** The part that a local reference (`#/$defs/Name`) points to. */
function resolve(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), root);
}
