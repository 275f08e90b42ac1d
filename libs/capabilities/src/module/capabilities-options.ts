import type {
  CanActivate,
  InjectionToken,
  ModuleMetadata,
  OptionalFactoryDependency,
  Type,
} from '@nestjs/common';
import type { ApprovalNotifier } from '../approvals/approval-notifier.js';
import type { StepUpVerifier } from '../approvals/step-up.js';
import type { CheckpointAnchor, CheckpointSigner, CheckpointVerifier } from '../audit/checkpoint.js';
import type { AuditSink } from '../audit/audit-sink.js';
import type { ExecutionHook } from '../audit/execution-hook.js';
import type { Telemetry } from '../audit/telemetry.js';
import type { InheritableOptions } from '../contract/capability-options.js';
import type { CapabilityPolicyRule } from '../contract/policy-rule.js';
import type { CapabilityStore } from '../execution/capability-store.js';
import type { CapabilityContextResolver } from '../execution/context-resolver.js';
import type { LimitsPort } from '../execution/limits-port.js';
import type { Clock } from '../kernel/clock.js';
import type { CapabilityPolicy } from '../policies/capability-policy.js';
import type { PrincipalResolver } from '../policies/principal-resolver.js';

/** How a port is provided: a class, or `useClass`, `useExisting`, `useFactory`, `useValue`. */
export type PortProvider<T> =
  | Type<T>
  | { readonly useClass: Type<T> }
  | { readonly useExisting: InjectionToken<T> }
  | { readonly useValue: T }
  | {
      readonly useFactory: (...args: never[]) => T | Promise<T>;
      readonly inject?: readonly (InjectionToken | OptionalFactoryDependency)[];
    };

/** Options of `CapabilitiesModule.forRoot`. */
export interface CapabilitiesModuleOptions extends CapabilitiesPortOptions, CapabilitiesValueOptions {}

/** Options that decide which providers exist: known while the module is declared. */
export interface CapabilitiesPortOptions {
  /** Modules whose exports the ports and guards inject. */
  readonly imports?: ModuleMetadata['imports'];
  /** The application's permission rule. Without it the app boots only if every permission is null. */
  readonly policy?: PortProvider<CapabilityPolicy>;
  /** Verified identity to principal. Without it everyone is anonymous. */
  readonly principals?: PortProvider<PrincipalResolver>;
  readonly context?: PortProvider<CapabilityContextResolver>;
  /** Global policies: values or injectable providers of them. */
  readonly policies?: readonly (CapabilityPolicyRule | PortProvider<CapabilityPolicyRule>)[];
  readonly sinks?: readonly PortProvider<AuditSink>[];
  readonly hooks?: readonly PortProvider<ExecutionHook>[];
  readonly telemetry?: PortProvider<Telemetry>;
  readonly clock?: PortProvider<Clock>;
  readonly limits?: PortProvider<LimitsPort>;
  /** Approvals, idempotency keys and audit. Default: this process's memory, with one warning. */
  readonly store?: PortProvider<CapabilityStore>;
  /** Checks how strongly a decider authenticated. Default: `session` by `authTime`, at most 5 minutes old. */
  readonly stepUp?: PortProvider<StepUpVerifier>;
  /** Told when approvals are asked for, decided or over. */
  readonly notifiers?: readonly PortProvider<ApprovalNotifier>[];
  /** Global guards of the pipeline itself, on every surface. */
  readonly guards?: readonly Type<CanActivate>[];
}

/** How the stored audit is keyed, signed and anchored. */
export interface AuditOptions {
  /** Keys the input hashes of audit rows. Default: random per process, so that hashes of two processes differ. */
  readonly key?: string | Uint8Array;
  /** Signs checkpoints; without it there are none, and nothing can be pruned. */
  readonly signer?: CheckpointSigner;
  /** Checks checkpoints. Default: the signer's own. */
  readonly verifier?: CheckpointVerifier;
  /** Where checkpoints go, outside the audit table. */
  readonly anchor?: CheckpointAnchor;
}

/** Options that are values: `forRootAsync` may compute them. */
export interface CapabilitiesValueOptions {
  /** Inherited by every host and capability: method > host > defaults. */
  readonly defaults?: InheritableOptions;
  /** Guards that run only where Nest runs them on HTTP (authentication, throttling). */
  readonly transportGuards?: readonly Type<CanActivate>[];
  /** Time limit of one policy evaluation, milliseconds. Default 2 000. */
  readonly policyTimeoutMs?: number;
  readonly audit?: AuditOptions;
  /** Who to turn to, in hints. Default "an administrator" and "the owning app team". */
  readonly supportContact?: string;
}

/** Options of `CapabilitiesModule.forRootAsync`: ports stay static, values come from the factory. */
export interface CapabilitiesModuleAsyncOptions extends CapabilitiesPortOptions {
  readonly inject?: readonly (InjectionToken | OptionalFactoryDependency)[];
  readonly useFactory: (...args: never[]) => CapabilitiesValueOptions | Promise<CapabilitiesValueOptions>;
}
