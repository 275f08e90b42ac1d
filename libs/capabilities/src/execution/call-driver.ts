import type { ApprovalRecord, StoredOutcome } from '../approvals/approval-record.js';
import type { AuditEvent } from '../audit/audit-event.js';
import { CapabilityError } from '../errors/capability-error.js';
import { describeFault } from '../errors/describe-fault.js';
import { executionId } from '../kernel/ids.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import { completePrincipal } from '../kernel/principal.js';
import { PermissionChecker } from '../policies/permission-checker.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import type { CapabilityRegistry } from '../registry/capability-registry.js';
import { CallJournal } from './call-journal.js';
import { CallRecord } from './call-record.js';
import { planCapability, type CapabilityPlan } from './capability-plan.js';
import type { ExecuteOptions } from './execution-request.js';
import { freeLease } from './free-lease.js';
import { giveBackClaim } from './give-back-claim.js';
import type { CompletedOutcome, FailedOutcome, SuspendedOutcome } from './outcome.js';
import type { PipelinePorts } from './pipeline-ports.js';
import { QuestionPending } from './question-pending.js';
import { checkAccess, hasSimpleAccess, requirePermission } from './stages/check-access.js';
import { publicError } from './stages/invoke-handler.js';
import { requirePrincipal } from './stages/require-principal.js';
import { resolveCapability } from './stages/resolve-capability.js';
import { storedFailure } from './stored-outcome.js';

/** What spans and metrics call every name that no capability bears: callers choose those, without bounds. */
const UNKNOWN_NAME = '(unknown)';

/** Opens, admits and ends calls: what every way of running a capability has in common. */
export class CallDriver {
  readonly permissions: PermissionChecker;
  readonly journal: CallJournal;
  private readonly plans = new WeakMap<CapabilityDefinition, CapabilityPlan>();

  constructor(
    private readonly registry: CapabilityRegistry,
    private readonly ports: PipelinePorts,
  ) {
    this.permissions = new PermissionChecker(ports.policy, ports.policyTimeoutMs);
    this.journal = new CallJournal(ports);
  }

  /** The plan of a capability, composed once. */
  planOf(definition: CapabilityDefinition): CapabilityPlan {
    const known = this.plans.get(definition);
    if (known !== undefined) return known;
    const plan = planCapability(definition, this.ports);
    this.plans.set(definition, plan);
    return plan;
  }

  /** Stage 1. */
  open(name: string, options: ExecuteOptions, approval?: ApprovalRecord): CallRecord {
    const record = new CallRecord(name, executionId(), options.surface ?? 'direct', options);
    record.approval = approval;
    // `requested` already belongs to the caller's tenant; stage 2 refuses whoever is not well formed.
    record.known = options.principal === null ? undefined : completePrincipal(options.principal);
    this.journal.opened(record, this.registry.get(name) === undefined ? UNKNOWN_NAME : name);
    return record;
  }

  /** Stages 2–4. */
  pass(record: CallRecord): void | Promise<void> {
    record.call.check();
    record.stage = 'principal';
    record.known ??= requirePrincipal(record.options.principal);
    record.stage = 'resolve';
    const definition = resolveCapability(this.registry, record.name, record.surface);
    const plan = this.planOf(definition);
    record.plan = plan;
    record.call.arm(definition.timeoutMs);
    record.stage = 'access';
    if (hasSimpleAccess(plan, this.ports)) {
      const answer = this.permissions.check(record.known, definition.permission);
      if (!isPromiseLike(answer)) return requirePermission(answer, record.stances);
      return answer.then((settled) => requirePermission(settled, record.stances));
    }
    return this.checkAccess(record, plan);
  }

  private async checkAccess(record: CallRecord, plan: CapabilityPlan): Promise<void> {
    const { principal, surface, call: signal, executionId: id, request, onRoute, stances } = record;
    const access = { plan, principal, surface, signal, executionId: id, request, onRoute, stances };
    record.demands = await checkAccess(access, this.ports, this.permissions);
  }

  /** Runs the stages of an admitted call and ends it well. */
  async conclude(
    record: CallRecord,
    stages: () => Promise<CompletedOutcome | SuspendedOutcome>,
  ): Promise<CompletedOutcome | SuspendedOutcome> {
    const outcome = await (record.span === undefined ? stages() : record.span.run(stages));
    if (record.claim !== undefined)
      await this.settle(record, record.result!, this.journal.completedEvent(record));
    record.ended = true;
    this.release(record);
    if (outcome.status === 'completed') this.journal.completed(record, outcome.output);
    else this.journal.suspended(record);
    return outcome;
  }

  /** The one place where a throw becomes an outcome, one audit event and one span end. */
  async fail(record: CallRecord, thrown: unknown): Promise<FailedOutcome> {
    const error = await publicError(record.plan?.definition, thrown);
    if (record.ended) return failedOutcome(record, error);
    record.ended = true;
    record.used = true;
    if (error instanceof QuestionPending && record.options.channel?.client !== undefined)
      return this.asked(record, error);
    if (record.claim !== undefined) {
      const outcome = storedFailure(error, record.executionId);
      await this.settle(record, outcome, this.journal.failedEvent(record, error));
    }
    this.release(record);
    this.journal.failed(record, error);
    return failedOutcome(record, error);
  }

  /** The call ended with a question and has no outcome yet: its claim must be free for the call that answers it. */
  private async asked(record: CallRecord, question: QuestionPending): Promise<FailedOutcome> {
    record.stage = 'question';
    const lost = await giveBackClaim(record, this.ports, this.journal);
    this.release(record);
    if (lost === undefined) this.journal.asked(record);
    else this.journal.failed(record, lost);
    return failedOutcome(record, lost ?? question);
  }

  /**
   * Stores what a claimed call came to, with its terminal event. When the store cannot take
   * it, the claim's lease runs out and the record says `unknown`; the caller still learns
   * what happened.
   */
  private async settle(record: CallRecord, outcome: StoredOutcome, event: AuditEvent): Promise<void> {
    record.terminal = event;
    try {
      await this.ports.governance!.store.complete(record.claim!, outcome, event);
    } catch (error) {
      this.ports.logger.error(`The outcome of "${record.name}" could not be stored`, {
        referenceId: record.executionId,
        capability: record.name,
        error: describeFault(error),
      });
    }
  }

  private release(record: CallRecord): void {
    record.call.dispose();
    if (record.lease !== undefined) void freeLease(record.lease, this.ports.logger);
  }
}

function failedOutcome(record: CallRecord, error: CapabilityError): FailedOutcome {
  return {
    executionId: record.executionId,
    capability: record.name,
    replayed: record.replayed,
    status: 'failed',
    error: error.reason === 'TIMEOUT' && record.plan?.effect === true ? withoutRetry(error) : error,
  };
}

/** A write that ran out of time may have taken effect: retrying it blindly is no remedy. */
function withoutRetry(error: CapabilityError): CapabilityError {
  return new CapabilityError('TIMEOUT', { ...error.details, retryable: false, cause: error.cause });
}
