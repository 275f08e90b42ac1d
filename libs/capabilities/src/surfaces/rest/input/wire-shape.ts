import { isRecord, type JsonSchema } from '../../../kernel/json.js';

/** How the text of a path or query parameter is decoded. `text` stays a string. */
export type WireShape =
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'object' }
  | { readonly kind: 'array'; readonly items: WireShape };

const TEXT: WireShape = Object.freeze({ kind: 'text' });
const MAX_REFERENCES = 16;

/**
 * The shape of a converted property. `root` resolves its references. A property that may be of
 * several types (null aside) is `text`, so that the schema's own parse names the field.
 */
export function wireShape(property: JsonSchema, root: JsonSchema): WireShape {
  return shapeOf(property, root, 0);
}

function shapeOf(schema: unknown, root: JsonSchema, depth: number): WireShape {
  if (!isRecord(schema) || depth > MAX_REFERENCES) return TEXT;
  if (typeof schema['$ref'] === 'string') return shapeOf(resolve(schema['$ref'], root), root, depth + 1);
  if (schema['type'] !== undefined) return byType(schema, root, depth);
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches))
    return common(
      branches.filter((branch) => !isNull(branch)).map((branch) => shapeOf(branch, root, depth + 1)),
    );
  const members = schema['allOf'];
  if (Array.isArray(members))
    return members.map((member) => shapeOf(member, root, depth + 1)).find((shape) => shape !== TEXT) ?? TEXT;
  if ('const' in schema) return byValue(schema['const']);
  if (Array.isArray(schema['enum']))
    return common(schema['enum'].filter((value) => value !== null).map(byValue));
  return isRecord(schema['properties']) ? { kind: 'object' } : TEXT;
}

function byType(schema: Record<string, unknown>, root: JsonSchema, depth: number): WireShape {
  const types = [schema['type']].flat().filter((type) => type !== 'null');
  return common(types.map((type) => ofType(type, schema, root, depth)));
}

function ofType(type: unknown, schema: Record<string, unknown>, root: JsonSchema, depth: number): WireShape {
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
    case 'object':
      return { kind: type };
    case 'array':
      return { kind: 'array', items: shapeOf(schema['items'], root, depth + 1) };
    default:
      return TEXT;
  }
}

function byValue(value: unknown): WireShape {
  if (typeof value === 'number' || typeof value === 'boolean')
    return { kind: typeof value as 'number' | 'boolean' };
  return TEXT;
}

/** The one shape of all branches; integers beside numbers are numbers, anything else mixed is text. */
function common(shapes: readonly WireShape[]): WireShape {
  const [first] = shapes;
  if (first === undefined) return TEXT;
  const kinds = new Set(shapes.map((shape) => shape.kind));
  if (kinds.size === 1) return first;
  return [...kinds].every((kind) => kind === 'integer' || kind === 'number') ? { kind: 'number' } : TEXT;
}

const isNull = (schema: unknown): boolean => isRecord(schema) && schema['type'] === 'null';

/** Resolves `#`, `#/$defs/Name` and other local pointers (RFC 6901). */
function resolve(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((place, key) => (isRecord(place) ? place[key] : undefined), root);
}
