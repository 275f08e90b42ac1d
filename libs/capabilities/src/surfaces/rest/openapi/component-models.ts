import type { Type } from '@nestjs/common';
import type { CompiledSchema } from '../../../kernel/compiled-schema.js';
import { isRecord, type JsonSchema } from '../../../kernel/json.js';
import { toOpenApiSchema } from '../../../kernel/openapi-schema.js';
import type { SwaggerDecorators } from './swagger-decorators.js';

const PREFIX = '#/components/schemas/';
/** Set by `@nestjs/swagger` on every model; undefined takes them away where the schema has none. */
const MODEL_DEFAULTS = { type: undefined, properties: undefined };

interface Component {
  readonly signature: string;
  readonly model: Type<object>;
}

/** A schema of the document and the components it needs. */
export interface DocumentedSchema {
  readonly schema: JsonSchema;
  readonly models: readonly Type<object>[];
}

/**
 * The named schemas of all operations. Each becomes one class that `@ApiExtraModels()` carries to
 * `components.schemas`, once, whichever operations use it. Two different schemas of one name get names
 * of their own (`Inner`, `Inner2`).
 */
export class ComponentModels {
  private readonly components = new Map<string, Component>();

  constructor(private readonly swagger: SwaggerDecorators) {}

  /** A compiled schema with its named parts as components. */
  document(
    { exact, named }: Pick<CompiledSchema, 'exact' | 'named'>,
    root: JsonSchema = exact,
  ): DocumentedSchema {
    const { $defs: _hoisted, ...bare } = root;
    const names = new Map(Object.keys(named).map((name) => [name, this.place(name, named)]));
    for (const [name, place] of names) this.define(place, named[name]!, names, signatureOf(name, named));
    const schema = renamed(toOpenApiSchema(bare, { refPrefix: PREFIX }), names);
    return { schema, models: [...names.values()].map((name) => this.components.get(name)!.model) };
  }

  /** A component of the library itself. */
  own(name: string, schema: JsonSchema): DocumentedSchema {
    return this.document({ exact: { $ref: `#/$defs/${name}` }, named: { [name]: schema } });
  }

  /** The name a part has in the document: its own, or the first that no other schema took. */
  private place(name: string, named: CompiledSchema['named']): string {
    const signature = signatureOf(name, named);
    const base = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
    for (let suffix = 1; ; suffix += 1) {
      const candidate = suffix === 1 ? base : `${base}${suffix}`;
      const taken = this.components.get(candidate);
      if (taken === undefined || taken.signature === signature) return candidate;
    }
  }

  private define(
    place: string,
    part: JsonSchema,
    names: ReadonlyMap<string, string>,
    signature: string,
  ): void {
    if (this.components.has(place)) return;
    const model = class {};
    Object.defineProperty(model, 'name', { value: place });
    const schema = renamed(toOpenApiSchema(part, { refPrefix: PREFIX }), names);
    this.swagger.ApiSchema({ name: place, ...MODEL_DEFAULTS, ...schema })(model);
    this.components.set(place, { signature, model });
  }
}

/** The schema with everything it refers to: equal signatures are equal schemas. */
function signatureOf(name: string, named: CompiledSchema['named']): string {
  const reached = new Set<string>();
  const visit = (part: string): void => {
    if (reached.has(part)) return;
    reached.add(part);
    for (const reference of JSON.stringify(named[part] ?? {}).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g))
      visit(reference[1]!);
  };
  visit(name);
  return JSON.stringify([...reached].map((part) => [part, named[part]]));
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): JsonSchema {
  return rename(value, names) as JsonSchema;
}

function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => rename(each, names));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string' ? reference(each, names) : rename(each, names),
    ]),
  );
}

function reference(pointer: string, names: ReadonlyMap<string, string>): string {
  const name = pointer.startsWith(PREFIX) ? pointer.slice(PREFIX.length) : undefined;
  return name === undefined ? pointer : `${PREFIX}${names.get(name) ?? name}`;
}
