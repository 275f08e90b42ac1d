import { CapabilityError } from '../../errors/capability-error.js';
import type { Principal } from '../../kernel/principal.js';
import { violations } from '../../policies/constraints.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';

/** The constrained values as the caller sent them, each read once. */
export interface ConstraintSnapshot {
  readonly constraints: Readonly<Record<string, unknown>>;
  readonly raw: Readonly<Record<string, unknown>>;
}

/**
 * Reads the constrained fields once, before the parse; undefined when the principal
 * holds no grant for this capability. Throws CONSTRAINT_VIOLATED when the grant lacks
 * a constraint that the capability requires today.
 */
export function snapshotConstraints(
  definition: CapabilityDefinition,
  principal: Principal,
  raw: unknown,
): ConstraintSnapshot | undefined {
  const grant = Object.hasOwn(principal.grants, definition.name)
    ? principal.grants[definition.name]
    : undefined;
  if (grant === undefined) return undefined;
  const missing = definition.constraints.filter((field) => !Object.hasOwn(grant.constraints, field));
  if (missing.length > 0) {
    throw new CapabilityError('CONSTRAINT_VIOLATED', {
      message: `The grant is missing required constraints: ${missing.join(', ')}.`,
    });
  }
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  if (typeof raw === 'object' && raw !== null) {
    for (const field of Object.keys(grant.constraints)) {
      if (Object.hasOwn(raw, field)) values[field] = (raw as Record<string, unknown>)[field];
    }
  }
  return { constraints: grant.constraints, raw: values };
}

/** Stage 6: the grant's constraints hold on raw and parsed value, and parsing changed no constrained field. */
export function checkConstraints(snapshot: ConstraintSnapshot, parsed: unknown): void {
  const fields = typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  refuse(violations(snapshot.constraints, snapshot.raw));
  refuse(violations(snapshot.constraints, fields));
  const changed = Object.keys(snapshot.constraints).filter(
    (field) => !Object.is(fields[field], snapshot.raw[field]),
  );
  if (changed.length > 0) {
    throw new CapabilityError('CONSTRAINT_VIOLATED', {
      message: `A constrained field changed during validation: ${changed.join(', ')}.`,
      field: changed[0]!,
    });
  }
}

function refuse(fields: readonly string[]): void {
  if (fields.length === 0) return;
  throw new CapabilityError('CONSTRAINT_VIOLATED', {
    message: `The input is outside what was granted: ${fields.join(', ')}.`,
    field: fields[0]!,
  });
}
