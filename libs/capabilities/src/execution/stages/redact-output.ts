import type { RedactionView } from '../../contract/capability-options.js';
import type { ObjectRef } from '../../contract/object-ref.js';
import { citationsProblem, plainRefs } from '../../contract/pending-action.js';
import { WIRE_SURFACES, type SurfaceId } from '../../contract/surface.js';
import { CapabilityError } from '../../errors/capability-error.js';
import { dueAtOnce } from '../../kernel/promise-like.js';
import { toWireJson } from '../../kernel/wire-json.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';

/** What leaves: the redacted value in the surface's form, and what it stands on. */
export interface PresentedOutput {
  readonly output: unknown;
  readonly cites: readonly ObjectRef[];
}

const NO_CITES: readonly ObjectRef[] = Object.freeze([]);

/**
 * Stage 14: redaction, citations and the surface's form (JSON on wire surfaces, the typed
 * value on `direct`). Throws OUTPUT_INVALID for what JSON cannot hold or a bad citation.
 */
export function presentOutput(
  definition: CapabilityDefinition,
  parsed: unknown,
  view: RedactionView,
  deliveredOn: SurfaceId,
): PresentedOutput {
  const redacted = redact(definition, parsed, view);
  return { output: surfaceForm(definition, redacted, deliveredOn), cites: citations(definition, parsed) };
}

function redact(definition: CapabilityDefinition, parsed: unknown, view: RedactionView): unknown {
  const redactor = definition.redact.output;
  if (redactor === undefined) return parsed;
  const redacted = redactor(parsed, Object.freeze({ ...view }));
  return checked(() => dueAtOnce(redacted, 'redact.output'));
}

function surfaceForm(definition: CapabilityDefinition, value: unknown, deliveredOn: SurfaceId): unknown {
  if (!WIRE_SURFACES.has(deliveredOn) || value === undefined) return value;
  return checked(() =>
    definition.output === undefined ? toWireJson(value) : definition.output.toWire(value),
  );
}

function citations(definition: CapabilityDefinition, parsed: unknown): readonly ObjectRef[] {
  if (definition.cites === undefined) return NO_CITES;
  const found: unknown = definition.cites(parsed);
  const cites = checked(() => dueAtOnce(found, 'cites'));
  const problem = citationsProblem(cites);
  if (problem !== undefined) throw invalid(new TypeError(problem));
  return plainRefs(cites as readonly ObjectRef[]);
}

function checked<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw invalid(error);
  }
}

const invalid = (cause: unknown): CapabilityError => new CapabilityError('OUTPUT_INVALID', { cause });
