import type { ApprovalGate } from '../approvals/approval-gate.js';
import type { ApprovalInbox } from '../approvals/approval-inbox.js';
import type { ApprovalRecord } from '../approvals/approval-record.js';
import type { ApprovalService } from '../approvals/approval-service.js';
import type { AuditRecorder } from '../audit/audit-recorder.js';
import type { ExecutionHook } from '../audit/execution-hook.js';
import type { Telemetry } from '../audit/telemetry.js';
import type { CapabilityPolicyRule } from '../contract/policy-rule.js';
import type { Clock } from '../kernel/clock.js';
import type { CapabilityPolicy } from '../policies/capability-policy.js';
import type { PrincipalResolver } from '../policies/principal-resolver.js';
import type { CapabilityStore } from './capability-store.js';
import type { CapabilityContextResolver } from './context-resolver.js';
import type { FaultLogger } from './fault-logger.js';
import type { LimitsPort } from './limits-port.js';

/** Approvals, idempotency keys and stored audit; together, so that stage 11 is one transaction. */
export interface Governance {
  readonly store: CapabilityStore;
  readonly gate: ApprovalGate;
  readonly approvals: ApprovalService;
  readonly inbox: ApprovalInbox;
  /** Where a caller finds an approval, by relation; filled by the surfaces that serve approvals. */
  readonly links: (record: ApprovalRecord) => Readonly<Record<string, string>>;
}

/** Everything the pipeline needs from outside, resolved once at boot. */
export interface PipelinePorts {
  /** Undefined only when every permission is null. */
  readonly policy: CapabilityPolicy<unknown, string> | undefined;
  /** Global policies, before each capability's own. */
  readonly policies: readonly CapabilityPolicyRule[];
  /** Time limit of one policy evaluation, milliseconds. */
  readonly policyTimeoutMs: number;
  readonly principals: PrincipalResolver<unknown> | undefined;
  readonly context: CapabilityContextResolver | undefined;
  readonly recorder: AuditRecorder;
  readonly hooks: readonly ExecutionHook[];
  readonly telemetry: Telemetry | undefined;
  readonly limits: LimitsPort | undefined;
  /** Undefined: nothing can be approved or kept; a demand for approval denies. */
  readonly governance: Governance | undefined;
  readonly clock: Clock;
  readonly logger: FaultLogger;
}
