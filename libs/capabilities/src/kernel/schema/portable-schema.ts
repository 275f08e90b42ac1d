import type { JsonSchema } from '../json.js';
import { SchemaConversionError } from './schema-conversion-error.js';
import {
  ANNOTATIONS,
  inlined,
  reachableNames,
  recursiveNames,
  referencedNames,
  refName,
  type SchemaDocument,
} from './schema-references.js';
import { mapSubschemas } from './schema-walk.js';

const MAX_NODES = 20_000;

/** Formats of JSON Schema 2020-12, section 7.3; strict providers refuse others, whose pattern stays. */
const FORMATS: ReadonlySet<unknown> = new Set(
  (
    'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference ' +
    'uuid uri-template json-pointer relative-json-pointer regex'
  ).split(' '),
);

/**
 * The form that model providers and MCP clients accept: references inlined unless they recurse, one
 * type a schema, standard formats only. Throws `SchemaConversionError` when inlining explodes.
 */
export function portableSchema(document: SchemaDocument): JsonSchema {
  const recursive = recursiveNames(document.defs);
  let nodes = 0;
  const port = (schema: JsonSchema): JsonSchema => {
    if (++nodes > MAX_NODES) {
      throw new SchemaConversionError(
        '$',
        'The schema is too large once its shared parts are inlined',
        'Split the capability or its input.',
      );
    }
    const name = refName(schema);
    if (name !== undefined && !recursive.has(name))
      return port(inlined(schema, document.defs.get(name) ?? {}));
    const { type, format, ...rest } = mapSubschemas(schema, port);
    const kept = FORMATS.has(format) ? { format, ...rest } : rest;
    return Array.isArray(type) ? alternatives(type, kept) : type === undefined ? kept : { type, ...kept };
  };
  const root = port(document.root);
  const names = [...reachableNames(referencedNames(root), document.defs)].filter((name) =>
    recursive.has(name),
  );
  if (names.length === 0) return root;
  return {
    ...root,
    $defs: Object.fromEntries(names.map((name) => [name, port(document.defs.get(name) ?? {})])),
  };
}

/** `type: [a, b]` as `anyOf`: annotations stay outside, rules go into every branch. */
function alternatives(types: readonly unknown[], schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema);
  const rules = entries.filter(([key]) => !ANNOTATIONS.has(key));
  const notes = entries.filter(([key]) => ANNOTATIONS.has(key));
  return {
    ...Object.fromEntries(notes),
    anyOf: types.map((type) => ({
      type,
      ...Object.fromEntries(rules.flatMap(([key, value]) => ruleFor(type, key, value))),
    })),
  };
}

/** Enumerations are split by type, so that each branch can be met. */
function ruleFor(type: unknown, key: string, value: unknown): [string, unknown][] {
  if (key !== 'enum' || !Array.isArray(value)) return type === 'null' ? [] : [[key, value]];
  const fitting = value.filter((item) => typeNames(item).includes(type));
  return fitting.length > 0 ? [[key, fitting]] : [];
}

function typeNames(value: unknown): unknown[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return typeof value === 'number'
    ? Number.isInteger(value)
      ? ['integer', 'number']
      : ['number']
    : [typeof value];
}
