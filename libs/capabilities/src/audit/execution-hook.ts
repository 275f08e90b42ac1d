import type { CapabilityError } from '../errors/capability-error.js';
import type { CapabilityView } from '../contract/capability-view.js';
import type { Principal } from '../kernel/principal.js';
import type { SurfaceId } from '../contract/surface.js';

interface HookBase {
  readonly executionId: string;
  readonly name: string;
  readonly surface: SurfaceId;
  readonly principal?: Principal;
  readonly capability?: CapabilityView;
}

export type HookStart = HookBase;

/** Validated input and output, bounded; the context the application built. */
export interface HookEnd extends HookBase {
  readonly input: unknown;
  readonly output: unknown;
  readonly context: unknown;
  readonly durationMs: number;
}

/** `input` and `context` only if that stage was reached; raw input and unvalidated output never. */
export interface HookError extends HookBase {
  readonly error: CapabilityError;
  readonly stage: string;
  readonly input?: unknown;
  readonly context?: unknown;
  readonly durationMs: number;
}

/** Best-effort observer of executions (port); a throw is logged and changes nothing. */
export abstract class ExecutionHook {
  onStart?(event: HookStart): void | Promise<void>;
  onEnd?(event: HookEnd): void | Promise<void>;
  onError?(event: HookError): void | Promise<void>;
}
