import type { CapabilityDefinition } from '../registry/capability-definition.js';
import type { PolicyStance } from '../contract/policy-stance.js';
import type { Principal } from '../kernel/principal.js';
import type { SurfaceId } from '../contract/surface.js';

/** What stages 1–4 learned about one call. Only the pipeline makes one. */
export interface Admission {
  readonly executionId: string;
  readonly correlationId: string;
  readonly surface: SurfaceId;
  readonly startedAt: number;
  readonly principal: Principal;
  readonly definition: CapabilityDefinition;
  readonly stances: readonly PolicyStance[];
  /** Caller's signal and the deadline, armed in stage 1. */
  readonly signal: AbortSignal;
}
