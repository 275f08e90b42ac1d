import type { ApprovalRecord, StoredOutcome } from '../approvals/approval-record.js';
import type { AuditEvent } from '../audit/audit-event.js';
import type { PolicyStance } from '../contract/policy-stance.js';
import type { TelemetrySpan } from '../audit/telemetry.js';
import type { ApprovalDemand } from '../contract/policy-rule.js';
import type { SurfaceId } from '../contract/surface.js';
import type { Principal } from '../kernel/principal.js';
import type { CapabilityDefinition, HandlerCall } from '../registry/capability-definition.js';
import type { Admission } from './admission.js';
import { CallSignal } from './call-signal.js';
import type { CapabilityPlan } from './capability-plan.js';
import type { Claim } from './capability-store.js';
import type { ExecuteOptions } from './execution-request.js';
import type { LimitLease } from './limits-port.js';

/** The stage a call has reached, named in failure events. */
export type StageName =
  | 'identify'
  | 'principal'
  | 'resolve'
  | 'access'
  | 'input'
  | 'constraints'
  | 'policies'
  | 'idempotency'
  | 'context'
  | 'approval'
  | 'take'
  | 'invoke'
  | 'question'
  | 'output'
  | 'redaction';

const NO_DEMANDS: readonly ApprovalDemand[] = [];

/** What one call has learned so far. Only the runner writes it; stages take and return values. */
export class CallRecord implements Admission, HandlerCall {
  readonly call: CallSignal;
  readonly startedAt = performance.now();
  readonly stances: PolicyStance[] = [];
  stage: StageName = 'identify';
  span: TelemetrySpan | undefined;
  known: Principal | undefined;
  plan: CapabilityPlan | undefined;
  demands: readonly ApprovalDemand[] = NO_DEMANDS;
  /** The frozen clone of the parsed input, once that stage was reached and somebody observes. */
  observedInput: unknown;
  context: unknown;
  /** True once `started` was recorded: from then on an effect is possible. */
  started = false;
  /** The approval that this call executes or waits for. */
  approval: ApprovalRecord | undefined;
  /** The approval's id as the caller named it, where the approval itself was refused. */
  namedApproval: string | undefined;
  /** What stage 11 claimed; handed back when the call ends. */
  claim: Claim | undefined;
  lease: LimitLease | undefined;
  /** Keyed hash of the input, once an approval or a key made one. */
  inputHash: string | undefined;
  /** The validated output of a claimed call, to be stored when it ends. */
  result: StoredOutcome | undefined;
  /** True when a stored outcome is answered and nothing runs. */
  replayed = false;
  startedEvent: Extract<AuditEvent, { type: 'started' }> | undefined;
  /** The terminal event, when it was stored before the call ended. */
  terminal: AuditEvent | undefined;
  /** True once the call was run or abandoned. */
  used = false;
  ended = false;

  constructor(
    readonly name: string,
    readonly executionId: string,
    readonly surface: SurfaceId,
    readonly options: ExecuteOptions,
  ) {
    this.call = new CallSignal(options.signal);
  }

  get correlationId(): string {
    return this.options.correlationId ?? this.executionId;
  }

  get principal(): Principal {
    return this.known!;
  }

  get definition(): CapabilityDefinition {
    return this.plan!.definition;
  }

  get request(): unknown {
    return this.options.request;
  }

  get onRoute(): boolean {
    return this.options.onRoute === true;
  }

  /** The surface whose form the output takes; an approved record keeps its own surface for everything else. */
  get deliveredOn(): SurfaceId {
    return this.options.deliveredOn ?? this.surface;
  }

  get signal(): AbortSignal {
    return this.call.signal;
  }

  get durationMs(): number {
    return performance.now() - this.startedAt;
  }
}
