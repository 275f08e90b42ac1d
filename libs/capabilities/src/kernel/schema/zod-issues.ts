import type { SchemaIssue } from '../compiled-schema.js';
import type { ZodIssue } from './zod-types.js';

const MAX_ISSUES = 100;

/** Turns zod's issues into ours: one issue a key, the permitted values beside it, unions explained. */
export function zodIssues(
  issues: readonly ZodIssue[],
  messageOf: (issue: ZodIssue) => string,
): SchemaIssue[] {
  return issues.slice(0, MAX_ISSUES).flatMap((issue) => convert(issue, [], messageOf));
}

function convert(
  issue: ZodIssue,
  base: readonly (string | number)[],
  messageOf: (issue: ZodIssue) => string,
): SchemaIssue[] {
  const path = [...base, ...(issue.path ?? []).map(pathKey)];
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => ({ path: [...path, key], message: 'Unknown key' }));
  }
  if (issue.code === 'invalid_union' && issue.errors !== undefined && issue.errors.length > 0) {
    return explainUnion(issue, issue.errors, path, messageOf);
  }
  const allowed = (issue.values ?? issue.options)?.filter(isJsonScalar);
  return [
    { path, message: messageOf(issue), ...(allowed !== undefined && allowed.length > 0 && { allowed }) },
  ];
}

/** The branch that fits at its root is what the caller meant; otherwise every branch says what it misses. */
function explainUnion(
  issue: ZodIssue,
  branches: readonly (readonly ZodIssue[])[],
  path: readonly (string | number)[],
  messageOf: (issue: ZodIssue) => string,
): SchemaIssue[] {
  const meant = branches.filter((branch) => branch.every((inner) => (inner.path ?? []).length > 0));
  const branchIssues = (branch: readonly ZodIssue[]): SchemaIssue[] =>
    branch.flatMap((inner) => convert(inner, path, messageOf));
  const [only] = meant;
  if (meant.length === 1 && only !== undefined) return branchIssues(only);
  const alternatives = (meant.length > 0 ? meant : branches).slice(0, 5).map(branchIssues);
  const allowed = alternatives.flatMap((one) =>
    one.filter((inner) => inner.path.length === path.length).flatMap((inner) => inner.allowed ?? []),
  );
  const texts = alternatives.map((one) => one.map((inner) => explain(inner, path.length)).join(', '));
  const message = `${messageOf(issue)}: no alternative fits (${[...new Set(texts)].join('; or ')})`;
  const field = meant.length > 0 ? sharedPath(alternatives, path) : path;
  return [{ path: field, message, ...(allowed.length > 0 && { allowed }) }];
}

function explain(issue: SchemaIssue, depth: number): string {
  const field = issue.path.slice(depth).join('.');
  return field === '' ? issue.message : `${field}: ${issue.message}`;
}

/** The place that every alternative complains about, if it is one and the same. */
function sharedPath(
  alternatives: readonly SchemaIssue[][],
  fallback: readonly (string | number)[],
): readonly (string | number)[] {
  const paths = new Map(alternatives.flat().map((issue) => [issue.path.join('\0'), issue.path]));
  const [first] = paths.values();
  return paths.size === 1 && first !== undefined ? first : fallback;
}

/** A path key as JSON has it: symbols cannot occur in input and are shown by name. */
export function pathKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? key.toString() : key;
}

function isJsonScalar(value: unknown): value is string | number | boolean | null {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}
