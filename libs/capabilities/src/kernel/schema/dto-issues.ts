import type { SchemaIssue } from '../compiled-schema.js';
import type { JsonSchema } from '../json.js';
import type { DtoClass } from '../standard-schema.js';
import type { DtoProperty, DtoReader } from './dto-model.js';
import { enumValues } from './dto-rules.js';
import { additionalOf, propertiesOf } from './merge-objects.js';
import { dereference, type SchemaDocument } from './schema-references.js';
import { asSchema } from './schema-walk.js';
import { withoutInput } from './standard-message.js';

const MAX_DEPTH = 256;

/** The part of class-validator's `ValidationError` that is read. */
export interface DtoError {
  /** What was validated: an instance, or a collection of them. */
  readonly target?: object;
  readonly property?: string;
  readonly constraints?: Readonly<Record<string, string>>;
  readonly children?: readonly DtoError[];
}

/** Turns class-validator's error tree into issues, one for each broken rule. */
export function dtoIssues(errors: readonly DtoError[], read: DtoReader, input: unknown): SchemaIssue[] {
  const convert = (list: readonly DtoError[], base: readonly (string | number)[]): SchemaIssue[] =>
    list.flatMap((error) => {
      const model = modelOf(error, read);
      const path =
        error.property === undefined ? base : [...base, keyOf(error.property, error.target, model)];
      const own = Object.entries(error.constraints ?? {}).map(([rule, message]) =>
        toIssue(path, rule, message, model, input),
      );
      return [...own, ...convert(error.children ?? [], path)];
    });
  return convert(errors, []);
}

/** The declared property, of the very class that was validated: a discriminator may have chosen it. */
function modelOf({ target, property }: DtoError, read: DtoReader): DtoProperty | undefined {
  if (target === undefined || isCollection(target)) return undefined;
  const { constructor } = Object.getPrototypeOf(target) as { constructor?: unknown };
  if (typeof constructor !== 'function') return undefined;
  return read(constructor as DtoClass).find((candidate) => candidate.property === property);
}

function keyOf(
  property: string,
  target: object | undefined,
  model: DtoProperty | undefined,
): string | number {
  if (target !== undefined && isCollection(target)) return indexOf(property);
  return model?.key ?? property;
}

const isCollection = (target: object): boolean =>
  Array.isArray(target) || target instanceof Set || target instanceof Map;

function indexOf(property: string): string | number {
  return /^\d+$/.test(property) ? Number(property) : property;
}

function toIssue(
  path: readonly (string | number)[],
  rule: string,
  message: string,
  model: DtoProperty | undefined,
  input: unknown,
): SchemaIssue {
  const source = model?.rules.find((candidate) => candidate.name === rule);
  const text = source?.echoes
    ? `${path.join('.')} does not satisfy ${rule}`
    : withoutInput({ message }, path, input);
  const allowed = source === undefined ? [] : allowedBy(rule, source.constraints);
  return { path, message: text, ...(allowed.length > 0 && { allowed }) };
}

function allowedBy(rule: string, constraints: readonly unknown[]): (string | number | boolean | null)[] {
  const values =
    rule === 'isEnum'
      ? enumValues(constraints[1] ?? constraints[0])
      : rule === 'isIn'
        ? enumValues(constraints[0])
        : [];
  return values.filter(
    (value): value is string | number => typeof value === 'string' || typeof value === 'number',
  );
}

/**
 * Places where an object or array is declared and something else stands. class-validator judges the
 * items of an array and a lone value alike, so it would let `'x'` pass for `string[]`.
 */
export function containerIssues(document: SchemaDocument, input: unknown): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  const visit = (schema: JsonSchema, value: unknown, path: readonly (string | number)[]): void => {
    if (value === undefined || (value === null && path.length > 0) || path.length > MAX_DEPTH) return;
    const target = dereference(schema, document.defs);
    const isArray = Array.isArray(value);
    if (target['type'] === 'array') {
      if (!isArray) issues.push({ path, message: `${path.join('.')} must be an array` });
      else value.forEach((item, index) => visit(asSchema(target['items']), item, [...path, index]));
    } else if (target['type'] === 'object') {
      if (typeof value !== 'object' || value === null || isArray)
        issues.push({ path, message: `${path.join('.') || 'The value'} must be an object` });
      else visitMembers(target, value as Record<string, unknown>, path);
    }
  };
  const visitMembers = (
    schema: JsonSchema,
    value: Record<string, unknown>,
    path: readonly (string | number)[],
  ): void => {
    for (const [name, property] of propertiesOf(schema)) visit(property, value[name], [...path, name]);
    const rest = additionalOf(schema);
    if (rest === undefined || Object.keys(rest).length === 0) return;
    for (const key of Object.keys(value)) visit(rest, value[key], [...path, key]);
  };
  if (input === undefined) return [{ path: [], message: 'The value must be an object' }];
  visit(document.root, input, []);
  return issues;
}
