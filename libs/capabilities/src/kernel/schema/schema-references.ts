import type { JsonSchema } from '../json.js';
import { MARK } from './schema-adapter.js';
import { mapSubschemas } from './schema-walk.js';

/** A normalised schema: every reference is `#/$defs/Name` and resolves in `defs`. */
export interface SchemaDocument {
  readonly root: JsonSchema;
  readonly defs: ReadonlyMap<string, JsonSchema>;
}

export const REF_PREFIX = '#/$defs/';

/** Keywords that describe and do not validate. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'deprecated',
  'examples',
  MARK,
]);

/** The name that a schema refers to, or undefined when it is no reference. */
export function refName(schema: JsonSchema): string | undefined {
  const ref = schema['$ref'];
  return typeof ref === 'string' && ref.startsWith(REF_PREFIX) ? ref.slice(REF_PREFIX.length) : undefined;
}

/** The target of a reference with the reference's siblings applied; a schema without `$ref` is itself. */
export function dereference(schema: JsonSchema, defs: ReadonlyMap<string, JsonSchema>): JsonSchema {
  let current = schema;
  for (let hops = 0; hops < 64; hops++) {
    const name = refName(current);
    if (name === undefined) return current;
    current = inlined(current, defs.get(name) ?? {});
  }
  return {};
}

/** A reference with its siblings, replaced by its target: annotations win, other keywords join by `allOf`. */
export function inlined(reference: JsonSchema, target: JsonSchema): JsonSchema {
  const { $ref: _, ...siblings } = reference;
  const conflicting = Object.keys(siblings).some(
    (key) => !ANNOTATIONS.has(key) && (key in target || '$ref' in target),
  );
  if (!conflicting) return { ...target, ...siblings };
  const own = Object.entries(siblings);
  return {
    ...Object.fromEntries(own.filter(([key]) => ANNOTATIONS.has(key))),
    allOf: [target, Object.fromEntries(own.filter(([key]) => !ANNOTATIONS.has(key)))],
  };
}

/** Names that a schema refers to directly. */
export function referencedNames(schema: JsonSchema): ReadonlySet<string> {
  const names = new Set<string>();
  renameReferences(schema, (name) => {
    names.add(name);
    return name;
  });
  return names;
}

/** A copy whose references carry other names. */
export function renameReferences(schema: JsonSchema, rename: (name: string) => string): JsonSchema {
  const visit = (node: JsonSchema): JsonSchema => {
    const name = refName(node);
    return mapSubschemas(name === undefined ? node : { ...node, $ref: REF_PREFIX + rename(name) }, visit);
  };
  return visit(schema);
}

/** Names reachable from the given ones, themselves included. */
export function reachableNames(
  from: Iterable<string>,
  defs: ReadonlyMap<string, JsonSchema>,
): ReadonlySet<string> {
  const seen = new Set<string>(from);
  for (const name of seen) {
    for (const next of referencedNames(defs.get(name) ?? {})) seen.add(next);
  }
  return seen;
}

/** Definitions that reach themselves. */
export function recursiveNames(defs: ReadonlyMap<string, JsonSchema>): ReadonlySet<string> {
  const recursive = new Set<string>();
  for (const [name, schema] of defs) {
    if (reachableNames(referencedNames(schema), defs).has(name)) recursive.add(name);
  }
  return recursive;
}
