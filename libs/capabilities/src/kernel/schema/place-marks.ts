import type { JsonSchema } from '../json.js';
import { MARK, type PlaceMark } from './schema-adapter.js';
import { reachableNames, referencedNames, type SchemaDocument } from './schema-references.js';
import { mapSubschemas } from './schema-walk.js';

/** A copy without the compiler's private keyword. */
export function unmarked(schema: JsonSchema): JsonSchema {
  const { [MARK]: _, ...rest } = schema;
  return mapSubschemas(rest, unmarked);
}

/** JSON pointers, in the exact schema, of the places that are annotated only. */
export function opaquePlaces(document: SchemaDocument): readonly string[] {
  const places: string[] = [];
  const visit = (schema: JsonSchema, pointer: readonly (string | number)[]): JsonSchema => {
    if ((schema[MARK] as PlaceMark | undefined)?.opaque)
      places.push(pointer.map((token) => `/${escapePointer(token)}`).join(''));
    return mapSubschemas(schema, visit, pointer);
  };
  visit(document.root, []);
  for (const name of reachableNames(referencedNames(document.root), document.defs)) {
    visit(document.defs.get(name) ?? {}, ['$defs', name]);
  }
  return places;
}

function escapePointer(token: string | number): string {
  return String(token).replaceAll('~', '~0').replaceAll('/', '~1');
}
