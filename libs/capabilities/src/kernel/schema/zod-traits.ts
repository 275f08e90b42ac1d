import { zodChildren, type ZodSchema } from './zod-types.js';

const CHANGING: ReadonlySet<string> = new Set([
  'transform',
  'default',
  'prefault',
  'catch',
  'date',
  'bigint',
  'success',
]);

/** True when parsing can give another value than it took: coercion, transform, default, trim, decoded dates. */
function zodTransforms(schema: ZodSchema): boolean {
  return some(schema, changesValue);
}

/** True when parsing may change that top-level field of an object schema. */
export function zodFieldTransforms(schema: ZodSchema, field: string, seen = new Set<ZodSchema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { def } = schema._zod;
  if (def.type !== 'object') {
    if (changesValue(schema)) return true;
    if (def.type === 'record') return some(schema, changesValue);
    const inner = zodChildren(schema);
    return inner.length === 0 || inner.some((child) => zodFieldTransforms(child, field, seen));
  }
  const shape = def['shape'] as Readonly<Record<string, ZodSchema>>;
  const property = Object.hasOwn(shape, field) ? shape[field] : (def['catchall'] as ZodSchema | undefined);
  return property !== undefined && zodTransforms(property);
}

/** True when a refinement or transform is visibly an `async` function. */
export function zodIsAsync(schema: ZodSchema): boolean {
  return some(schema, ({ _zod: { def } }) => {
    const functions = [
      def['transform'],
      def['fn'],
      ...(def.checks ?? []).map((check) => check._zod.def['fn']),
    ];
    return def.type === 'promise' || functions.some((fn) => fn instanceof AsyncFunction);
  });
}

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

function changesValue(schema: ZodSchema): boolean {
  const { def } = schema._zod;
  if (CHANGING.has(def.type) || def.coerce === true || schema._zod.traits?.has('$ZodCodec') === true)
    return true;
  if (def['normalize'] === true) return true;
  return (def.checks ?? []).some((check) => check._zod.def.check === 'overwrite');
}

function some(schema: ZodSchema, test: (schema: ZodSchema) => boolean): boolean {
  const seen = new Set<ZodSchema>([schema]);
  for (const next of seen) {
    if (test(next)) return true;
    for (const child of zodChildren(next)) seen.add(child);
  }
  return false;
}
