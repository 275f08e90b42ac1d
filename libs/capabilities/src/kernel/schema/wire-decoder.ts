import type { JsonSchema } from '../json.js';
import { BranchFit } from './branch-fit.js';
import { parseDateTime } from './date-time.js';
import { additionalOf, propertiesOf } from './merge-objects.js';
import { MARK, type PlaceMark } from './schema-adapter.js';
import {
  dereference,
  refName,
  reachableNames,
  referencedNames,
  type SchemaDocument,
} from './schema-references.js';
import { asSchema, mapSubschemas } from './schema-walk.js';

export type WireDecoder = (value: unknown) => unknown;

/** Decodes one part of a value; `fit` remembers which branches the parts of this value fit. */
type Step = (value: unknown, fit: BranchFit) => unknown;

const identity: Step = (value) => value;
const INTEGER = /^-?\d+$/;
/** Decoding is quadratic in the digits; far beyond any declared use. */
const MAX_DIGITS = 1000;

/**
 * Makes the decoder of date-time and integer strings at the `Date` and bigint positions of a schema.
 * Text of another form is left alone, so that the parse refuses it by name. In a union the first
 * branch that the JSON value fits decides. Without such positions the decoder is the identity.
 */
export function wireDecoder(document: SchemaDocument): WireDecoder {
  const decode = new DecoderBuilder(document).build(document.root);
  return decode === identity ? (value) => value : (value) => decode(value, new BranchFit(document.defs));
}

class DecoderBuilder {
  private readonly decoding: ReadonlySet<string>;
  private readonly built = new Map<string, Step>();

  constructor(private readonly document: SchemaDocument) {
    const marked = [...document.defs].filter(([, schema]) => isMarked(schema)).map(([name]) => name);
    this.decoding = new Set(
      [...document.defs.keys()].filter((name) => {
        const reachable = reachableNames([name], document.defs);
        return marked.some((other) => reachable.has(other));
      }),
    );
  }

  build(schema: JsonSchema): Step {
    if (!this.decodes(schema)) return identity;
    const name = refName(schema);
    if (name !== undefined) return this.reference(name, schema);
    const steps: Step[] = [];
    const { decode } = (schema[MARK] ?? {}) as PlaceMark;
    if (decode !== undefined) steps.push(decode === 'date' ? decodeDate : decodeBigint);
    if ('properties' in schema || 'additionalProperties' in schema) steps.push(this.object(schema));
    if ('items' in schema || 'prefixItems' in schema) steps.push(this.array(schema));
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      if (Array.isArray(schema[keyword])) steps.push(this.union(schema[keyword].map(asSchema)));
    }
    if (Array.isArray(schema['allOf']))
      steps.push(...schema['allOf'].map((member) => this.build(asSchema(member))));
    return (value, fit) => steps.reduce((current, step) => step(current, fit), value);
  }

  private decodes(schema: JsonSchema): boolean {
    return isMarked(schema) || [...referencedNames(schema)].some((name) => this.decoding.has(name));
  }

  /** Built when first used: the target may refer back to itself. */
  private reference(name: string, schema: JsonSchema): Step {
    return (value, fit) => {
      let decoder = this.built.get(name);
      if (decoder === undefined) {
        decoder = this.build(dereference(schema, this.document.defs));
        this.built.set(name, decoder);
      }
      return decoder(value, fit);
    };
  }

  private object(schema: JsonSchema): Step {
    const members = new Map<string, Step>();
    const properties = propertiesOf(schema);
    for (const [name, property] of properties) {
      if (this.decodes(property)) members.set(name, this.build(property));
    }
    const additional = additionalOf(schema);
    const rest = additional !== undefined && this.decodes(additional) ? this.build(additional) : undefined;
    return (value, fit) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      const decoderOf = (key: string): Step | undefined =>
        members.get(key) ?? (properties.has(key) ? undefined : rest);
      return decodeMembers(value as Record<string, unknown>, decoderOf, fit);
    };
  }

  private array(schema: JsonSchema): Step {
    const prefix = Array.isArray(schema['prefixItems'])
      ? schema['prefixItems'].map((item) => this.build(asSchema(item)))
      : [];
    const rest = 'items' in schema ? this.build(asSchema(schema['items'])) : identity;
    return (value, fit) => {
      if (!Array.isArray(value)) return value;
      const items: readonly unknown[] = value;
      const decoded = items.map((item, index) => (prefix[index] ?? rest)(item, fit));
      return decoded.some((item, index) => item !== items[index]) ? decoded : items;
    };
  }

  private union(branches: readonly JsonSchema[]): Step {
    const decoders = branches.map((branch) => this.build(branch));
    return (value, fit) => {
      const index = branches.findIndex((branch) => fit.of(branch, value));
      return (decoders[index] ?? identity)(value, fit);
    };
  }
}

function decodeMembers(
  source: Record<string, unknown>,
  decoderOf: (key: string) => Step | undefined,
  fit: BranchFit,
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(source)) {
    const decoder = decoderOf(key);
    if (decoder === undefined) continue;
    const decoded = decoder(source[key], fit);
    if (decoded === source[key]) continue;
    copy ??= { ...source };
    copy[key] = decoded;
  }
  return copy ?? source;
}

function decodeDate(value: unknown): unknown {
  return typeof value === 'string' ? (parseDateTime(value) ?? value) : value;
}

function decodeBigint(value: unknown): unknown {
  return typeof value === 'string' && value.length <= MAX_DIGITS && INTEGER.test(value)
    ? BigInt(value)
    : value;
}

/** True when a place inside the schema itself, references aside, is decoded. */
function isMarked(schema: JsonSchema): boolean {
  let marked = false;
  const visit = (node: JsonSchema): JsonSchema => {
    if ((node[MARK] as PlaceMark | undefined)?.decode !== undefined) marked = true;
    return mapSubschemas(node, visit);
  };
  visit(schema);
  return marked;
}
