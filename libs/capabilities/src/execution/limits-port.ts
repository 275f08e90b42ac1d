import type { CapabilityDefinition } from '../registry/capability-definition.js';
import type { Principal } from '../kernel/principal.js';

/** A taken slot or budget; `release` frees a concurrency slot and is safe to call twice. */
export interface LimitLease {
  release(): void | Promise<void>;
}

/** Bounds over principal and capability (port). Throws `CapabilityError` RATE_LIMITED, BUDGET_EXCEEDED or UNAVAILABLE. */
export abstract class LimitsPort {
  /** Stage 4: counts one call against the rate. */
  abstract rate(definition: CapabilityDefinition, principal: Principal): void | Promise<void>;
  /** Stage 11: takes a concurrency slot and the budget of this input. */
  abstract take(
    definition: CapabilityDefinition,
    principal: Principal,
    input: unknown,
  ): LimitLease | Promise<LimitLease>;
}
