import type { JsonSchema } from '../json.js';
import { isUnicodePattern } from './regex-pattern.js';
import { type AdaptedSchema, MARK, type PlaceMark } from './schema-adapter.js';
import { SchemaConversionError, valuePath } from './schema-conversion-error.js';
import { asSchema, mapSubschemas } from './schema-walk.js';
import { inlined, recursiveNames, refName, REF_PREFIX, type SchemaDocument } from './schema-references.js';
import { stableName } from './stable-name.js';

/** Prefix of names that nobody chose; no author can write it, as such characters are replaced. */
const GENERATED = '(generated)';
const DEFINITION = /^#\/(\$defs|definitions)\/(.+)$/;
const MAX_NODES = 20_000;
const MAX_DEPTH = 128;

/** Vocabulary of JSON Schema 2020-12 that is kept; `x-` extensions are kept too, anything else is dropped. */
const KEPT: ReadonlySet<string> = new Set(
  (
    '$ref allOf anyOf oneOf not if then else dependentSchemas prefixItems items contains properties patternProperties ' +
    'additionalProperties propertyNames unevaluatedItems unevaluatedProperties type enum const multipleOf maximum ' +
    'exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains ' +
    'minContains maxProperties minProperties required dependentRequired title description default deprecated examples ' +
    'format contentEncoding contentMediaType contentSchema'
  ).split(' '),
);

type RawDocument = Pick<AdaptedSchema, 'document' | 'rootName' | 'isNamed'>;

/** Brings what an adapter produced into one form. Throws `SchemaConversionError`. */
export function normalizeDocument(adapted: RawDocument): SchemaDocument {
  return new Normalizer(adapted).run();
}

class Normalizer {
  private readonly defs = new Map<string, JsonSchema>();
  /** Original location of a definition → its name. */
  private readonly names = new Map<string, string>();
  private nodes = 0;

  constructor(private readonly adapted: RawDocument) {}

  run(): SchemaDocument {
    const { document, rootName } = this.adapted;
    if (rootName !== undefined) this.names.set('#', this.free(rootName));
    const root = this.clean(document, []);
    const name = this.names.get('#');
    if (name === undefined) return this.renameGenerated(root);
    this.defs.set(name, root);
    return this.renameGenerated({ $ref: REF_PREFIX + name });
  }

  private clean(schema: JsonSchema, pointer: readonly (string | number)[]): JsonSchema {
    if (++this.nodes > MAX_NODES || pointer.length > MAX_DEPTH * 2) {
      throw new SchemaConversionError(
        valuePath(pointer),
        'The schema is too large',
        'Split the capability, or use z.unknown() for free-form data.',
      );
    }
    const kept = Object.fromEntries(
      Object.entries(schema).filter(
        ([key, value]) => value !== undefined && (KEPT.has(key) || key.startsWith('x-')),
      ),
    );
    const mark = kept[MARK] as PlaceMark | undefined;
    if (mark?.refused)
      throw new SchemaConversionError(
        valuePath(pointer),
        `${mark.refused.what} cannot be sent as JSON`,
        mark.refused.remedy,
      );
    if ('$dynamicRef' in schema || '$recursiveRef' in schema) throw unsupportedRef(pointer);
    const cleaned = mapSubschemas(
      portablePatterns(kept, pointer),
      (child, at) => this.clean(child, at),
      pointer,
    );
    if (kept['$ref'] === undefined) return cleaned;
    return { ...cleaned, $ref: REF_PREFIX + this.define(kept['$ref'], pointer) };
  }

  private define(ref: unknown, pointer: readonly (string | number)[]): string {
    if (typeof ref !== 'string' || (ref !== '#' && !ref.startsWith('#/'))) throw unsupportedRef(pointer);
    const known = this.names.get(ref);
    if (known !== undefined) return known;
    const definition = definitionOf(this.adapted.document, ref);
    const name = this.free(
      definition === undefined ? `${GENERATED}${this.names.size}` : this.nameOf(definition),
    );
    this.names.set(ref, name);
    if (ref === '#') return name;
    const target = lookUp(this.adapted.document, ref, definition);
    if (target === undefined) throw unsupportedRef(pointer);
    this.defs.set(name, {});
    this.defs.set(name, this.clean(target, [definition === undefined ? ref : name]));
    return name;
  }

  private nameOf(definition: string): string {
    if (!this.adapted.isNamed(definition)) return `${GENERATED}${this.names.size}`;
    return definition;
  }

  /** Component names of OpenAPI are `[A-Za-z0-9._-]+`. */
  private free(wanted: string): string {
    const taken = new Set(this.names.values());
    const base = wanted.startsWith(GENERATED) ? wanted : wanted.replace(/[^A-Za-z0-9._-]+/g, '_');
    let name = base;
    for (let suffix = 2; taken.has(name); suffix++) name = `${base}_${suffix}`;
    return name;
  }

  /** Inlines generated parts that do not recurse and gives the others a name made from their content. */
  private renameGenerated(root: JsonSchema): SchemaDocument {
    const recursive = recursiveNames(this.defs);
    const renamed = new Map<string, string>();
    for (const name of this.defs.keys()) {
      if (name.startsWith(GENERATED) && recursive.has(name)) renamed.set(name, stableName(name, this.defs));
    }
    const rewrite = (schema: JsonSchema): JsonSchema => {
      const name = refName(schema);
      if (name === undefined || !name.startsWith(GENERATED)) return mapSubschemas(schema, rewrite);
      const stable = renamed.get(name);
      if (stable !== undefined) return mapSubschemas({ ...schema, $ref: REF_PREFIX + stable }, rewrite);
      return rewrite(inlined(schema, this.defs.get(name) ?? {}));
    };
    const defs = new Map<string, JsonSchema>();
    for (const [name, schema] of this.defs) {
      if (!name.startsWith(GENERATED)) defs.set(name, rewrite(schema));
      else if (renamed.has(name)) defs.set(renamed.get(name) ?? name, rewrite(schema));
    }
    return { root: rewrite(root), defs };
  }
}

/** Patterns are read with `u` (2020-12, section 6.4); one that means nothing there becomes words. */
function portablePatterns(schema: JsonSchema, pointer: readonly (string | number)[]): JsonSchema {
  const foreign = Object.keys(schema['patternProperties'] ?? {}).find(
    (pattern) => !isUnicodePattern(pattern),
  );
  if (foreign !== undefined) {
    throw new SchemaConversionError(
      valuePath(pointer),
      `The key pattern ${foreign} is not a Unicode pattern`,
      'Write it so that the u flag accepts it.',
    );
  }
  const { pattern, ...rest } = schema;
  if (typeof pattern !== 'string' || isUnicodePattern(pattern)) return schema;
  const note = `Matches /${pattern}/.`;
  const { description } = rest;
  return { ...rest, description: typeof description === 'string' ? `${description} ${note}` : note };
}

/** The name of a definition that a reference means: zod writes names as they are, others as JSON pointers ask. */
function definitionOf(document: JsonSchema, ref: string): string | undefined {
  const [, keyword = '', text = ''] = DEFINITION.exec(ref) ?? [];
  const held = asSchema(document[keyword]);
  return [text, unescapePointer(text)].find((name) => Object.hasOwn(held, name));
}

function lookUp(document: JsonSchema, ref: string, definition: string | undefined): JsonSchema | undefined {
  const [, keyword = ''] = DEFINITION.exec(ref) ?? [];
  const keys = ref.slice(2).split('/').map(unescapePointer);
  let at: unknown = document;
  for (const key of definition === undefined ? keys : [keyword, definition]) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return typeof at === 'boolean' || (typeof at === 'object' && at !== null) ? asSchema(at) : undefined;
}

function unescapePointer(token: string): string {
  return percentDecoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unsupportedRef(pointer: readonly (string | number)[]): SchemaConversionError {
  return new SchemaConversionError(
    valuePath(pointer),
    'The schema refers to a part that is not inside it',
    'Put the part under "$defs" of the same schema; references are never fetched.',
  );
}
