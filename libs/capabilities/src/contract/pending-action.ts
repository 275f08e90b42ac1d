import { canonicalJson } from '../kernel/canonical-json.js';
import { isObjectRef, isReferencePart, type ObjectRef, type PendingAction } from './object-ref.js';

/** Why a value is no {@link PendingAction}; undefined when it is one. */
export function pendingActionProblem(action: unknown): string | undefined {
  if (typeof action !== 'object' || action === null) return 'describe() returned no action';
  const { verb, target, arguments: values, reversible } = action as Partial<PendingAction>;
  if (!isReferencePart(verb)) return 'the verb must be trimmed, non-empty and at most 200 characters';
  if (!isObjectRef(target))
    return 'the target must be { product, kind, id }, each trimmed, non-empty and at most 200 characters';
  if (typeof reversible !== 'boolean') return '`reversible` must be true or false';
  try {
    canonicalJson(values);
    return undefined;
  } catch (error) {
    return `the arguments are not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Why a value is no list of {@link ObjectRef}; undefined when it is one. */
export function citationsProblem(cites: unknown): string | undefined {
  if (!Array.isArray(cites)) return 'cites() returned no array';
  const index = cites.findIndex((item: unknown) => !isObjectRef(item));
  return index === -1
    ? undefined
    : `citation ${index} is not { product, kind, id }, each trimmed, non-empty and at most 200 characters`;
}

/** Copies of checked references, without any further member. */
export function plainRefs(cites: readonly ObjectRef[]): readonly ObjectRef[] {
  return cites.map(({ product, kind, id }) => ({ product, kind, id }));
}
