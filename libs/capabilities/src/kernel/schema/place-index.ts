import type { JsonSchema } from '../json.js';
import type { WirePlace } from '../wire-json.js';
import { additionalOf, isObjectSchema, propertiesOf } from './merge-objects.js';
import { MARK, type PlaceMark } from './schema-adapter.js';
import { dereference, type SchemaDocument } from './schema-references.js';
import { asSchema } from './schema-walk.js';

const COMBINATORS = ['anyOf', 'oneOf', 'allOf'] as const;
const CONDITIONALS = ['if', 'then', 'else'] as const;

/**
 * Everything that a schema says about one place, all branches together: in a union a key is known if
 * any branch knows it there, in an intersection if any member does. Places are made when first
 * visited and then kept, so recursive schemas stay finite and a call allocates nothing.
 */
export class Place implements WirePlace {
  /** A bigint may stand here. */
  readonly bigint: boolean;
  /** Any key is accepted and nothing below is known. */
  readonly anything: boolean;
  private readonly objects: readonly ObjectRules[];
  private readonly children = new Map<string, Place | undefined>();
  private item: Place | undefined;
  private rest: Place | undefined;
  private readonly prefixes: readonly Place[];

  private constructor(
    atoms: readonly JsonSchema[],
    private readonly index: PlaceIndex,
  ) {
    this.bigint = atoms.some((atom) => (atom[MARK] as PlaceMark | undefined)?.bigint === true);
    this.anything = atoms.some(acceptsAnything);
    this.objects = atoms.filter(isObjectSchema).map(objectRules);
    this.prefixes = prefixSchemas(atoms).map((schemas) => index.place(schemas));
    const items = atoms.flatMap((atom) => ('items' in atom ? [asSchema(atom['items'])] : []));
    if (items.length > 0) this.item = index.place(items);
  }

  /** @internal Only `PlaceIndex` makes places. */
  static create(atoms: readonly JsonSchema[], index: PlaceIndex): Place {
    return new Place(atoms, index);
  }

  /** True when some object may stand here, so that its keys can be judged. */
  get judgesKeys(): boolean {
    return this.objects.length > 0 && !this.anything;
  }

  /** Every key that some branch declares by name. */
  declaredKeys(): string[] {
    return [...new Set(this.objects.flatMap((rules) => [...rules.properties.keys()]))];
  }

  /** The place of a key or array index; undefined for an unknown key and below an unknown item. */
  child(key: string | number): Place | undefined {
    if (typeof key === 'number') return this.prefixes[key] ?? this.item;
    if (this.children.has(key)) return this.children.get(key);
    if (!this.objects.some((rules) => rules.properties.has(key))) return this.restOf(key);
    const schemas = this.objects.flatMap((rules) => schemasFor(rules, key));
    const place = this.index.place(schemas);
    this.children.set(key, place);
    return place;
  }

  /** Keys that no branch declares: not remembered one by one, as the caller chooses them. */
  private restOf(key: string): Place | undefined {
    if (this.objects.every((rules) => rules.patterns.length === 0)) {
      this.rest ??= this.placeOrNone(
        this.objects.map((rules) => rules.additional).filter((schema) => schema !== undefined),
      );
      return this.rest;
    }
    return this.placeOrNone(this.objects.flatMap((rules) => schemasFor(rules, key)));
  }

  private placeOrNone(schemas: readonly JsonSchema[]): Place | undefined {
    return schemas.length === 0 ? undefined : this.index.place(schemas);
  }
}

/** Makes and shares the places of one schema. */
export class PlaceIndex {
  private readonly ids = new Map<JsonSchema, number>();
  private readonly places = new Map<string, Place>();
  private readonly resolved = new Map<JsonSchema, JsonSchema>();

  constructor(private readonly document: SchemaDocument) {}

  root(): Place {
    return this.place([this.document.root]);
  }

  /** @internal The place that all these schemas describe. */
  place(schemas: readonly JsonSchema[]): Place {
    const atoms = new Set<JsonSchema>();
    for (const schema of schemas) this.collect(schema, atoms);
    const key = [...atoms]
      .map((atom) => this.idOf(atom))
      .sort((a, b) => a - b)
      .join();
    let place = this.places.get(key);
    if (place === undefined) {
      place = Place.create([...atoms], this);
      this.places.set(key, place);
    }
    return place;
  }

  private collect(schema: JsonSchema, atoms: Set<JsonSchema>): void {
    const target = this.target(schema);
    if (atoms.has(target)) return;
    atoms.add(target);
    for (const keyword of COMBINATORS) {
      const members = target[keyword];
      if (Array.isArray(members)) for (const member of members) this.collect(asSchema(member), atoms);
    }
    for (const keyword of CONDITIONALS) {
      if (keyword in target) this.collect(asSchema(target[keyword]), atoms);
    }
  }

  /** Dereferencing may build a new object, so its result is kept: identity is what makes places finite. */
  private target(schema: JsonSchema): JsonSchema {
    let target = this.resolved.get(schema);
    if (target === undefined) {
      target = '$ref' in schema ? dereference(schema, this.document.defs) : schema;
      this.resolved.set(schema, target);
    }
    return target;
  }

  private idOf(schema: JsonSchema): number {
    const id = this.ids.get(schema) ?? this.ids.size;
    this.ids.set(schema, id);
    return id;
  }
}

interface ObjectRules {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly patterns: readonly (readonly [RegExp, JsonSchema])[];
  readonly additional: JsonSchema | undefined;
}

function objectRules(schema: JsonSchema): ObjectRules {
  const patterns = Object.entries(schema['patternProperties'] ?? {});
  return {
    properties: propertiesOf(schema),
    patterns: patterns.map(([source, value]) => [new RegExp(source, 'u'), asSchema(value)] as const),
    additional: additionalOf(schema),
  };
}

function schemasFor(rules: ObjectRules, key: string): JsonSchema[] {
  const declared = rules.properties.get(key);
  if (declared !== undefined) return [declared];
  const matching = rules.patterns.filter(([pattern]) => pattern.test(key)).map(([, schema]) => schema);
  return matching.length > 0 ? matching : rules.additional === undefined ? [] : [rules.additional];
}

function prefixSchemas(atoms: readonly JsonSchema[]): JsonSchema[][] {
  const columns: JsonSchema[][] = [];
  for (const atom of atoms) {
    const prefix = atom['prefixItems'];
    if (!Array.isArray(prefix)) continue;
    for (const [position, schema] of prefix.entries()) (columns[position] ??= []).push(asSchema(schema));
  }
  return columns;
}

const CONSTRAINING = [
  'type',
  'properties',
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
  'const',
  'not',
  'items',
  'prefixItems',
  'if',
  'then',
  'else',
  'pattern',
];

/** A schema without any rule about its type, such as that of `z.unknown()`. */
function acceptsAnything(schema: JsonSchema): boolean {
  return !CONSTRAINING.some((keyword) => keyword in schema);
}
