import { isRecord } from '../kernel/json.js';

/** The alias that stands for a shared definition; undefined when there is no such definition. */
export type AliasOf = (definition: string) => string | undefined;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const REFERENCE = /^#\/(?:\$defs|definitions)\/([^/]+)$/;
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The TypeScript type of a JSON Schema (2020-12). What it cannot express is `unknown`. */
export function printType(schema: unknown, aliasOf: AliasOf): string {
  if (schema === false) return 'never';
  if (!isRecord(schema)) return 'unknown';
  const { not, $ref, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (isRecord(not) && Object.keys(not).length === 0) return 'never';
  if (typeof $ref === 'string') return printReference($ref, aliasOf);
  if ('const' in schema) return printLiteral(schema['const']);
  if (Array.isArray(values)) return union(values.map(printLiteral));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return union(alternatives.map((each) => printType(each, aliasOf)));
  if (Array.isArray(allOf)) return intersection(allOf.map((each) => printType(each, aliasOf)));
  if (Array.isArray(type)) return union(type.map((each) => printTyped(each, schema, aliasOf)));
  return printTyped(type, schema, aliasOf);
}

function printTyped(type: unknown, schema: Record<string, unknown>, aliasOf: AliasOf): string {
  if (type === 'array') return printArray(schema, aliasOf);
  if (type === 'object' || (type === undefined && isRecord(schema['properties'])))
    return printObject(schema, aliasOf);
  return (typeof type === 'string' ? PRIMITIVES[type] : undefined) ?? 'unknown';
}

function printArray({ items, prefixItems }: Record<string, unknown>, aliasOf: AliasOf): string {
  if (!Array.isArray(prefixItems)) return `ReadonlyArray<${printType(items, aliasOf)}>`;
  const places = prefixItems.map((each) => printType(each, aliasOf));
  const rest =
    items === undefined || items === false ? [] : [`...ReadonlyArray<${printType(items, aliasOf)}>`];
  return `readonly [${[...places, ...rest].join(', ')}]`;
}

function printObject(schema: Record<string, unknown>, aliasOf: AliasOf): string {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${inlineComment(property)}readonly ${printKey(name)}${optional}: ${printType(property, aliasOf)};`;
  });
  const { additionalProperties: others } = schema;
  if (members.length === 0 && (others === true || isRecord(others)))
    return `{ readonly [key: string]: ${printType(others, aliasOf)} }`;
  return members.length === 0 ? '{}' : `{ ${members.join(' ')} }`;
}

/** A property name or tool name, quoted unless it is an identifier. */
export function printKey(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

/** Text for inside a comment: one line that cannot end the comment. */
export function commentText(text: string): string {
  return text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim();
}

function inlineComment(property: unknown): string {
  const text = isRecord(property) ? property['description'] : undefined;
  return typeof text === 'string' && text.trim() !== '' ? `/** ${commentText(text)} */ ` : '';
}

function printReference(reference: string, aliasOf: AliasOf): string {
  const name = referencedDefinition(reference);
  return (name === undefined ? undefined : aliasOf(name)) ?? 'unknown';
}

/** The shared definition that a `$ref` names: a JSON pointer (RFC 6901) in a URI fragment. */
export function referencedDefinition(reference: string): string | undefined {
  const segment = REFERENCE.exec(reference)?.[1];
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

function printLiteral(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.includes('unknown')) return 'unknown';
  const kept = distinct.filter((type) => type !== 'never');
  return kept.length === 0 ? 'never' : kept.join(' | ');
}

function intersection(types: readonly string[]): string {
  const kept = [...new Set(types)].filter((type) => type !== 'unknown');
  if (kept.length === 0) return 'unknown';
  return kept.map((type) => (type.includes(' | ') && kept.length > 1 ? `(${type})` : type)).join(' & ');
}
