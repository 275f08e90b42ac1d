const BRAND = Symbol.for('nest-capabilities.SchemaConversionError');

/**
 * A schema that cannot be expressed as JSON Schema. Thrown at boot, never during a call; the message
 * names the place (`$.items[].at`) and what to change.
 */
export class SchemaConversionError extends Error {
  readonly [BRAND] = true;

  constructor(
    /** JSONPath-like place in the value that the schema describes; `$` is the root. */
    readonly path: string,
    /** What is wrong, without place and remedy. */
    readonly problem: string,
    readonly remedy: string,
  ) {
    super(`${problem} (at ${path}). ${remedy}`);
    this.name = 'SchemaConversionError';
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

const SILENT = new Set([
  'properties',
  'anyOf',
  'oneOf',
  'allOf',
  '$defs',
  'if',
  'then',
  'else',
  'not',
  'contains',
]);

/** Turns the location of a JSON Schema keyword into the place in the value: `/properties/a/items` → `$.a[]`. */
export function valuePath(pointer: readonly (string | number)[]): string {
  let path = '$';
  let named = false;
  for (const token of pointer) {
    if (named) {
      path += `.${token}`;
      named = false;
    } else if (token === 'properties') named = true;
    else if (token === 'items' || token === 'prefixItems') path += '[]';
    else if (token === 'additionalProperties' || token === 'patternProperties') path += '.*';
    else if (token === 'propertyNames') path += '.(key)';
    else if (typeof token === 'string' && !SILENT.has(token)) path += `.${token}`;
  }
  return path;
}
