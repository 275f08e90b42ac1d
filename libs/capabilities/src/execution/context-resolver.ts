import type { CapabilityView } from '../contract/capability-view.js';
import type { Principal } from '../kernel/principal.js';
import type { SurfaceId } from '../contract/surface.js';

/** Builds `ctx.context` from principal and parsed input (port). The security boundary where memberships are re-read. */
export abstract class CapabilityContextResolver<Context = unknown> {
  abstract resolve(call: {
    readonly principal: Principal;
    /** A frozen clone of the parsed input. */
    readonly input: unknown;
    readonly capability: CapabilityView;
    readonly surface: SurfaceId;
    readonly signal: AbortSignal;
  }): Context | Promise<Context>;
}
