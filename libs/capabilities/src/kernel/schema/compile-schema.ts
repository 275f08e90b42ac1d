import type { CompiledInput, CompiledOutput, CompiledSchema } from '../compiled-schema.js';
import type { JsonSchema } from '../json.js';
import { toWireJson } from '../wire-json.js';
import { closeObjects } from './close-objects.js';
import { propertiesOf, strings } from './merge-objects.js';
import { mergeRoot } from './merge-root.js';
import { opaquePlaces, unmarked } from './place-marks.js';
import { PlaceIndex } from './place-index.js';
import { portableSchema } from './portable-schema.js';
import type { AdaptedSchema } from './schema-adapter.js';
import { SchemaConversionError } from './schema-conversion-error.js';
import { normalizeDocument } from './schema-document.js';
import { dereference, reachableNames, referencedNames, type SchemaDocument } from './schema-references.js';
import { findUnknownKey } from './unknown-key.js';
import { wireDecoder } from './wire-decoder.js';

type Kind = CompiledSchema['kind'];

export interface InputCompileOptions {
  /** `refuse`: keys that the schema does not know are found by `unknownKey` and advertised as refused. */
  readonly unknownKeys: 'refuse' | 'ignore';
  /** Keeps `oneOf`, `anyOf` and `allOf` at the root of the portable form. Default false. */
  readonly rootCombinators?: boolean;
}

/** Throws `SchemaConversionError` for what cannot be an input. */
export function compileInput(
  kind: Kind,
  adapted: AdaptedSchema,
  options: InputCompileOptions,
): CompiledInput {
  const document = objectDocument(normalizeDocument(adapted));
  const refuses = options.unknownKeys === 'refuse';
  const advertised = refuses ? closeObjects(document) : document;
  const merged = mergeRoot(advertised);
  if (merged === undefined) {
    throw new SchemaConversionError('$', 'The input is not an object', 'Wrap it: z.object({ value: … }).');
  }
  const flat = portableSchema(merged);
  const places = refuses ? new PlaceIndex(document).root() : undefined;
  return {
    ...compileBase(
      kind,
      adapted,
      advertised,
      options.rootCombinators ? portableSchema(withRootType(advertised)) : flat,
    ),
    unknownKey: places === undefined ? () => undefined : (raw) => findUnknownKey(raw, places),
    decodeWire: wireDecoder(document),
    properties: Object.fromEntries([...propertiesOf(flat)].map(([name, schema]) => [name, unmarked(schema)])),
    required: new Set(strings(flat['required'])),
    transforms: adapted.transforms,
  };
}

export function compileOutput(kind: Kind, adapted: AdaptedSchema): CompiledOutput {
  const document = normalizeDocument(adapted);
  const places = new PlaceIndex(document).root();
  return {
    ...compileBase(kind, adapted, document, portableSchema(mergeRoot(document) ?? document)),
    nothing: adapted.nothing,
    toWire: (value) => toWireJson(value, places),
  };
}

function compileBase(
  kind: Kind,
  adapted: AdaptedSchema,
  document: SchemaDocument,
  portable: JsonSchema,
): CompiledSchema {
  const names = reachableNames(referencedNames(document.root), document.defs);
  const named = Object.fromEntries([...names].map((name) => [name, unmarked(document.defs.get(name) ?? {})]));
  const root = unmarked(document.root);
  return {
    kind,
    exact: names.size === 0 ? root : { ...root, $defs: named },
    portable: unmarked(portable),
    named,
    opaque: opaquePlaces(document),
    classes: adapted.classes,
    parse: adapted.parse,
  };
}

/** A schema without rules, such as `z.unknown()`, takes any object as arguments. */
function objectDocument(document: SchemaDocument): SchemaDocument {
  const root = dereference(document.root, document.defs);
  const free = !['type', 'properties', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'].some(
    (keyword) => keyword in root,
  );
  return free
    ? { root: { ...root, type: 'object', additionalProperties: {} }, defs: document.defs }
    : document;
}

function withRootType(document: SchemaDocument): SchemaDocument {
  return { root: { ...dereference(document.root, document.defs), type: 'object' }, defs: document.defs };
}
