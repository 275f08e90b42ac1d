import type { JsonSchema } from '../json.js';
import { branchFits } from './branch-fit.js';
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

const identity: WireDecoder = (value) => value;
const INTEGER = /^-?\d+$/;
/** Decoding is quadratic in the digits; far beyond any declared use. */
const MAX_DIGITS = 1000;

/**
 * Makes the decoder of date-time and integer strings at the `Date` and bigint positions of a schema.
 * Text of another form is left alone, so that the parse refuses it by name. In a union the first
 * branch that the JSON value fits decides. Without such positions the decoder is the identity.
 */
export function wireDecoder(document: SchemaDocument): WireDecoder {
  return new DecoderBuilder(document).build(document.root);
}

class DecoderBuilder {
  private readonly decoding: ReadonlySet<string>;
  private readonly built = new Map<string, WireDecoder>();

  constructor(private readonly document: SchemaDocument) {
    const marked = [...document.defs].filter(([, schema]) => isMarked(schema)).map(([name]) => name);
    this.decoding = new Set(
      [...document.defs.keys()].filter((name) => {
        const reachable = reachableNames([name], document.defs);
        return marked.some((other) => reachable.has(other));
      }),
    );
  }

  build(schema: JsonSchema): WireDecoder {
    if (!this.decodes(schema)) return identity;
    const name = refName(schema);
    if (name !== undefined) return this.reference(name, schema);
    const steps: WireDecoder[] = [];
    const { decode } = (schema[MARK] ?? {}) as PlaceMark;
    if (decode !== undefined) steps.push(decode === 'date' ? decodeDate : decodeBigint);
    if ('properties' in schema || 'additionalProperties' in schema) steps.push(this.object(schema));
    if ('items' in schema || 'prefixItems' in schema) steps.push(this.array(schema));
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      if (Array.isArray(schema[keyword])) steps.push(this.union(schema[keyword].map(asSchema)));
    }
    if (Array.isArray(schema['allOf']))
      steps.push(...schema['allOf'].map((member) => this.build(asSchema(member))));
    return (value) => steps.reduce((current, step) => step(current), value);
  }

  private decodes(schema: JsonSchema): boolean {
    return isMarked(schema) || [...referencedNames(schema)].some((name) => this.decoding.has(name));
  }

  /** Built when first used: the target may refer back to itself. */
  private reference(name: string, schema: JsonSchema): WireDecoder {
    return (value) => {
      let decoder = this.built.get(name);
      if (decoder === undefined) {
        decoder = this.build(dereference(schema, this.document.defs));
        this.built.set(name, decoder);
      }
      return decoder(value);
    };
  }

  private object(schema: JsonSchema): WireDecoder {
    const members = new Map<string, WireDecoder>();
    const properties = propertiesOf(schema);
    for (const [name, property] of properties) {
      if (this.decodes(property)) members.set(name, this.build(property));
    }
    const additional = additionalOf(schema);
    const rest = additional !== undefined && this.decodes(additional) ? this.build(additional) : undefined;
    return (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return decodeMembers(
        value as Record<string, unknown>,
        (key) => members.get(key) ?? (properties.has(key) ? undefined : rest),
      );
    };
  }

  private array(schema: JsonSchema): WireDecoder {
    const prefix = Array.isArray(schema['prefixItems'])
      ? schema['prefixItems'].map((item) => this.build(asSchema(item)))
      : [];
    const rest = 'items' in schema ? this.build(asSchema(schema['items'])) : identity;
    return (value) => {
      if (!Array.isArray(value)) return value;
      const items: readonly unknown[] = value;
      const decoded = items.map((item, index) => (prefix[index] ?? rest)(item));
      return decoded.some((item, index) => item !== items[index]) ? decoded : items;
    };
  }

  private union(branches: readonly JsonSchema[]): WireDecoder {
    const decoders = branches.map((branch) => this.build(branch));
    return (value) => {
      const index = branches.findIndex((branch) => branchFits(branch, value, this.document.defs));
      return (decoders[index] ?? identity)(value);
    };
  }
}

function decodeMembers(
  source: Record<string, unknown>,
  decoderOf: (key: string) => WireDecoder | undefined,
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(source)) {
    const decoder = decoderOf(key);
    if (decoder === undefined) continue;
    const decoded = decoder(source[key]);
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
