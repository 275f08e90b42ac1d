import { declaredSideEffect, isReadOnlyEffect } from '../contract/side-effect.js';
import type { DeclarationProblem } from '../contract/declaration-problem.js';
import { MODEL_SURFACES, type SurfaceId } from '../contract/surface.js';
import type { CatalogueEntry } from './check-catalogue.js';
import { declarationPlace } from './declaration-place.js';

/** What the application has for calls that wait for a decision. */
export interface ApprovalSupport {
  /** An approval store is configured. */
  readonly approvals: boolean;
  /** The application's `PrincipalResolver` has `reload`. */
  readonly reload: boolean;
  /** A `StepUpVerifier` is configured. */
  readonly stepUp: boolean;
  /** Surfaces that are installed; the others cannot suspend a call. */
  readonly installed: readonly SurfaceId[];
}

/** Whether the application can keep, re-check and answer every approval that the capabilities may ask for. */
export function checkApprovalSupport(
  entries: readonly CatalogueEntry[],
  support: ApprovalSupport,
): readonly DeclarationProblem[] {
  return entries.flatMap((entry) => checkEntry(entry, support));
}

function checkEntry(entry: CatalogueEntry, support: ApprovalSupport): readonly DeclarationProblem[] {
  const place = declarationPlace(entry);
  const { approval } = entry.options;
  const problems: DeclarationProblem[] = [];
  if (approval?.required === true && !support.approvals) {
    problems.push({
      ...place,
      code: 'APPROVAL_UNSUPPORTED',
      problem: '`approval.required` is true and there is no approval store',
      remedy: 'Pass a `store` to forRoot(), or remove `approval.required`',
    });
  }
  if (support.approvals && !support.reload && maySuspend(entry, support.installed)) {
    problems.push({
      ...place,
      code: 'RELOAD_MISSING',
      problem: 'a call may wait for a decision, and the PrincipalResolver cannot re-read who asked',
      remedy: 'Implement `reload(ref)` in the PrincipalResolver',
    });
  }
  if (approval?.strength === 'webauthn' && !support.stepUp) {
    problems.push({
      ...place,
      code: 'STEP_UP_MISSING',
      problem: "`approval.strength` is 'webauthn' and there is no StepUpVerifier",
      remedy: 'Provide a StepUpVerifier, or lower `approval.strength`',
    });
  }
  return problems;
}

/** By declaration, or by the default of a model-driven surface for whatever is not read-only. */
function maySuspend({ options }: CatalogueEntry, installed: readonly SurfaceId[]): boolean {
  if (options.approval?.required !== undefined) return options.approval.required;
  if (isReadOnlyEffect(declaredSideEffect(options))) return false;
  return (
    options.expose?.some((surface) => MODEL_SURFACES.has(surface) && installed.includes(surface)) ?? false
  );
}
