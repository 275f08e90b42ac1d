import type { PolicyCapability } from './policy-rule.js';
import type { SurfaceId } from './surface.js';

/** The public description of a capability that policies, hooks and events may carry. */
export interface CapabilityView extends PolicyCapability {
  readonly title: string;
  readonly description: string;
  readonly expose: readonly SurfaceId[];
  readonly discovery: 'discoverable' | 'contextual';
  readonly deprecated: boolean | string;
  readonly version: string | undefined;
}
