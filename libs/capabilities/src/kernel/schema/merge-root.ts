import type { JsonSchema } from '../json.js';
import { additionalOf, isObjectSchema, propertiesOf, strings } from './merge-objects.js';
import { ANNOTATIONS, dereference, type SchemaDocument } from './schema-references.js';
import { asSchema } from './schema-walk.js';

/** What a schema says about the object at the root, its branches put together. */
interface RootView {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly required: readonly string[];
  /** `false`: refused; undefined: nothing declared. */
  readonly additional: JsonSchema | false | undefined;
  /** Rules that the flat form cannot hold, in words. */
  readonly rules: readonly string[];
}

const MAX_DEPTH = 16;
const FLAT: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'unevaluatedProperties',
]);
const COMBINED: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
]);

/**
 * One flat object schema for providers that refuse combinators at the root: every property of every
 * branch, required where all branches require it, the branch rules in words. It accepts whatever the
 * exact schema accepts. Undefined when something else than an object may stand at the root.
 */
export function mergeRoot(document: SchemaDocument): SchemaDocument | undefined {
  const root = dereference(document.root, document.defs);
  const view = viewOf(root, document.defs, 0);
  if (view === undefined) return undefined;
  const kept = Object.entries(root).filter(
    ([key]) => !FLAT.has(key) && !COMBINED.has(key) && key !== 'description',
  );
  const description = [root['description'], ...view.rules]
    .filter((part) => typeof part === 'string')
    .join(' ');
  return {
    root: {
      type: 'object',
      ...(description !== '' && { description }),
      ...Object.fromEntries(kept),
      properties: Object.fromEntries(view.properties),
      ...(view.required.length > 0 && { required: view.required }),
      ...(view.additional !== undefined && { additionalProperties: view.additional }),
    },
    defs: document.defs,
  };
}

function viewOf(schema: JsonSchema, defs: SchemaDocument['defs'], depth: number): RootView | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const target = dereference(schema, defs);
  const views: RootView[] = [];
  if (isObjectSchema(target)) {
    if (Array.isArray(target['type']) && target['type'].length > 1) return undefined;
    views.push(ownView(target));
  } else if (target['type'] !== undefined || 'const' in target || 'enum' in target) return undefined;
  for (const member of members(target['allOf'])) {
    const view = viewOf(member, defs, depth + 1);
    if (view !== undefined) views.push(view);
    else if (!isObjectSchema(target) && !onlyAnnotates(member)) return undefined;
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (target[keyword] === undefined) continue;
    const branches = members(target[keyword]).map((branch) => viewOf(branch, defs, depth + 1));
    if (branches.some((branch) => branch === undefined)) {
      if (isObjectSchema(target)) continue;
      return undefined;
    }
    views.push(unionView(branches.filter((branch) => branch !== undefined)));
  }
  return views.length === 0 ? undefined : views.reduce(intersectionView);
}

function onlyAnnotates(schema: JsonSchema): boolean {
  return Object.keys(schema).every((key) => ANNOTATIONS.has(key));
}

function ownView(schema: JsonSchema): RootView {
  const declared = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
  return {
    properties: propertiesOf(schema),
    required: strings(schema['required']),
    additional: declared === false ? false : additionalOf(schema),
    rules: [],
  };
}

function intersectionView(a: RootView, b: RootView): RootView {
  const properties = new Map(a.properties);
  for (const [name, schema] of b.properties) {
    const other = properties.get(name);
    properties.set(name, other === undefined || same(other, schema) ? schema : { allOf: [other, schema] });
  }
  const open = [a.additional, b.additional].find(
    (additional) => additional !== undefined && additional !== false,
  );
  return {
    properties,
    required: [...new Set([...a.required, ...b.required])],
    additional: open === undefined ? (a.additional ?? b.additional) : {},
    rules: [...a.rules, ...b.rules],
  };
}

function unionView(branches: readonly RootView[]): RootView {
  const [first, ...others] = branches;
  if (first === undefined) return { properties: new Map(), required: [], additional: undefined, rules: [] };
  if (others.length === 0) return first;
  const properties = new Map<string, JsonSchema>();
  for (const name of new Set(branches.flatMap((branch) => [...branch.properties.keys()]))) {
    const holders = branches.filter((branch) => branch.properties.has(name));
    const merged = unionOf(holders.map((branch) => branch.properties.get(name) ?? {}));
    properties.set(
      name,
      holders.length === branches.length ? merged : withNote(merged, conditionOf(holders)),
    );
  }
  const open = branches.some((branch) => branch.additional !== undefined && branch.additional !== false);
  return {
    properties,
    required: first.required.filter((name) => others.every((branch) => branch.required.includes(name))),
    additional: open ? {} : branches.every((branch) => branch.additional === false) ? false : undefined,
    rules: [`One of: ${branches.map(branchRule).join(' | ')}.`],
  };
}

/** Alternatives for one property: constants become one enumeration. */
function unionOf(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only, ...others] = distinct;
  if (only !== undefined && others.length === 0) return only;
  const values = distinct.map(constantsOf);
  if (values.some((constants) => constants === undefined)) return { anyOf: distinct };
  const types = new Set(distinct.map((schema) => schema['type']));
  const description = distinct
    .map((schema) => schema['description'])
    .find((text) => typeof text === 'string');
  return {
    ...(types.size === 1 && only?.['type'] !== undefined && { type: only['type'] }),
    ...(description !== undefined && { description }),
    enum: [...new Set(values.flatMap((constants) => constants ?? []))],
  };
}

function constantsOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

function withNote(schema: JsonSchema, condition: string): JsonSchema {
  if (condition === '') return schema;
  const { description } = schema;
  const note = `Only with ${condition}.`;
  return { ...schema, description: typeof description === 'string' ? `${description} ${note}` : note };
}

function conditionOf(branches: readonly RootView[]): string {
  const labels = branches.map(labelOf);
  return labels.includes('') ? '' : labels.join(' or ');
}

function branchRule(branch: RootView): string {
  const label = labelOf(branch);
  const constants = constantProperties(branch);
  const needs = branch.required.filter((name) => !constants.has(name));
  const rest = needs.length > 0 ? `needs ${needs.join(', ')}` : 'needs nothing else';
  return [label === '' ? rest : `${label} (${rest})`, ...branch.rules].join(' ');
}

/** `action = "create"`: what tells this branch from the others. */
function labelOf(branch: RootView): string {
  return [...constantProperties(branch)]
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(' and ');
}

function constantProperties(branch: RootView): ReadonlyMap<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const [name, schema] of branch.properties) if ('const' in schema) constants.set(name, schema['const']);
  return constants;
}

function members(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.map(asSchema) : [];
}

function same(a: JsonSchema, b: JsonSchema): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
