import type { AuditRecorder } from '../audit/audit-recorder.js';
import type { Clock } from '../kernel/clock.js';
import type { CapabilityPolicy } from '../policies/capability-policy.js';
import type { PermissionChecker } from '../policies/permission-checker.js';
import type { PrincipalResolver } from '../policies/principal-resolver.js';
import type { ApprovalNotifier } from './approval-notifier.js';
import type { ApprovalStore } from './approval-store.js';
import type { StepUpVerifier } from './step-up.js';

/** Everything approvals need from outside, resolved once at boot. */
export interface ApprovalPorts {
  readonly store: ApprovalStore;
  readonly policy: CapabilityPolicy<unknown, string> | undefined;
  readonly permissions: PermissionChecker;
  /** Time limit of one `canApprove`, milliseconds. */
  readonly policyTimeoutMs: number;
  readonly principals: PrincipalResolver<unknown> | undefined;
  readonly recorder: AuditRecorder;
  readonly clock: Clock;
  /** Undefined: `session` and `webauthn` cannot be met. */
  readonly stepUp: StepUpVerifier | undefined;
  readonly notifiers: readonly ApprovalNotifier[];
  /** Keys the input hash of audit rows, so that it cannot be guessed from likely inputs. */
  readonly auditKey: string | Uint8Array;
  /** A notifier failed; nothing else did. */
  readonly onFault: (where: string, error: unknown) => void;
}
