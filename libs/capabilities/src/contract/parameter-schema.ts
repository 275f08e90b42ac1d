import type { SchemaLike } from '../kernel/standard-schema.js';

/** Types the compiler emits for parameters that are no DTO class. */
const BUILT_IN: ReadonlySet<unknown> = new Set([
  Object,
  String,
  Number,
  Boolean,
  Symbol,
  BigInt,
  Array,
  Function,
  Promise,
  Date,
  RegExp,
  Error,
  Map,
  Set,
  Uint8Array,
  ArrayBuffer,
]);

/** True for what may stand as a schema: a Standard Schema (zod included) or a class. */
export function isSchemaLike(candidate: unknown): candidate is SchemaLike {
  if ((typeof candidate !== 'object' && typeof candidate !== 'function') || candidate === null) return false;
  if ('~standard' in candidate) return true;
  return (
    typeof candidate === 'function' && typeof candidate.prototype === 'object' && !BUILT_IN.has(candidate)
  );
}

/** `schema: undefined` is the strict empty object. */
export type ParameterSchema =
  { readonly schema: SchemaLike | undefined } | { readonly problem: string; readonly remedy: string };

const DECLARE = 'Pass `inputSchema`, or type the parameter with a DTO class that is imported as a value';

/** The schema that the first parameter's emitted type stands for, or why it stands for none. */
export function parameterSchema(
  paramTypes: readonly unknown[] | undefined,
  paramCount: number,
): ParameterSchema {
  if (paramCount === 0) return { schema: undefined };
  if (paramTypes === undefined) {
    return {
      problem: 'the compiler emitted no parameter types',
      remedy:
        'Pass `inputSchema`, or compile with `emitDecoratorMetadata` (esbuild-based tools do not emit it)',
    };
  }
  const type = paramTypes[0];
  if (type === undefined) {
    return {
      problem:
        'the class of the first parameter was not defined yet when the decorator ran: a circular import',
      remedy: 'Break the circular import, or pass `inputSchema`',
    };
  }
  if (type === Object) {
    return {
      problem:
        'the type of the first parameter is erased at run time: it is an interface, a type alias, a union, an inline or generic type, a class imported with `import type`, or part of a circular import',
      remedy: DECLARE,
    };
  }
  if (isSchemaLike(type)) return { schema: type };
  const name = typeof type === 'function' ? type.name : typeof type;
  return {
    problem: `the first parameter is a ${name}, which is no input object`,
    remedy: 'Pass `inputSchema` and map it to the parameters with `args`, or take one DTO class',
  };
}
