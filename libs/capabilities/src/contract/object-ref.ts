import type { Json } from '../kernel/json.js';

/** A thing in some product that an answer cites or an action targets. Each part: trimmed, non-empty, at most 200 characters. */
export interface ObjectRef {
  readonly product: string;
  readonly kind: string;
  readonly id: string;
}

/** Exactly what will happen, shown to whoever decides. */
export interface PendingAction {
  readonly verb: string;
  readonly target: ObjectRef;
  readonly arguments: Json;
  readonly reversible: boolean;
}

const MAX_PART_LENGTH = 200;

/** True for a part of a reference, or a verb: trimmed, non-empty, at most 200 characters. */
export function isReferencePart(value: unknown): value is string {
  return (
    typeof value === 'string' && value !== '' && value.trim() === value && value.length <= MAX_PART_LENGTH
  );
}

/** True for a well-formed {@link ObjectRef}. */
export function isObjectRef(value: unknown): value is ObjectRef {
  if (typeof value !== 'object' || value === null) return false;
  const { product, kind, id } = value as Record<string, unknown>;
  return isReferencePart(product) && isReferencePart(kind) && isReferencePart(id);
}
