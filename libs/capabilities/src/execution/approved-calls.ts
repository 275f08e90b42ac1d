import { executionRefusal, refuseExecution } from '../approvals/approval-refusal.js';
import type { ApprovalRecord } from '../approvals/approval-record.js';
import { isRequester } from '../approvals/approver-rules.js';
import { CapabilityError } from '../errors/capability-error.js';
import { isUuid } from '../kernel/ids.js';
import type { Principal } from '../kernel/principal.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import type { CallDriver } from './call-driver.js';
import type { CallRecord } from './call-record.js';
import type { ExecuteOptions } from './execution-request.js';
import type { CompletedOutcome, Outcome, SuspendedOutcome } from './outcome.js';
import type { Governance, PipelinePorts } from './pipeline-ports.js';
import { recheckStored, replayOutcome, runApproved } from './run-stages.js';
import { buildContext } from './stages/build-context.js';
import { requirePrincipal } from './stages/require-principal.js';
import { suspendedOutcome } from './suspended-outcome.js';

type Act = (
  record: CallRecord,
  approval: ApprovalRecord,
  governance: Governance,
) => Promise<CompletedOutcome | SuspendedOutcome>;
type Open = (actor: Principal, approvalId: string, governance: Governance) => Promise<ApprovalRecord>;

/** Calls that start from an approval instead of an input. */
export class ApprovedCalls {
  constructor(
    private readonly driver: CallDriver,
    private readonly ports: PipelinePorts,
  ) {}

  /**
   * Stages 2–4, 6, 7 and 9 run again as the requester on the recorded surface and refuse
   * without burning the record; then it is taken and the stored value runs.
   */
  execute(approvalId: string, options: ExecuteOptions): Promise<Outcome> {
    return this.start(approvalId, options, openForExecution, async (record, approval, governance) => {
      if (approval.state === 'pending') return suspendedOutcome(record, approval, governance);
      await governance.gate.recheckApprovers(approval, record.principal);
      record.stage = 'input';
      governance.gate.assertUnchanged(approval, record.definition.fingerprint);
      const stored = await recheckStored(record, approval, this.ports);
      return runApproved(record, approval, stored, this.ports, this.driver.journal);
    });
  }

  /** The stored outcome of an executed approval; only its requester reads it. */
  outcome(approvalId: string, options: ExecuteOptions): Promise<Outcome> {
    return this.start(approvalId, options, openForReading, async (record, approval) => {
      await buildContext(record, this.ports);
      return replayOutcome(record, approval.outcome!);
    });
  }

  private async start(approvalId: string, options: ExecuteOptions, open: Open, act: Act): Promise<Outcome> {
    const { governance } = this.ports;
    const deliveredOn = options.surface ?? 'direct';
    let actor: Principal | undefined;
    let record: CallRecord | undefined;
    try {
      actor = requirePrincipal(options.principal);
      if (governance === undefined) throw new CapabilityError('NOT_FOUND');
      const approval = await open(actor, approvalId, governance);
      const principal = await governance.gate.reloadRequester(approval);
      const { surface, correlationId } = approval;
      const call = { ...options, principal, surface, deliveredOn, correlationId };
      const opened = this.driver.open(approval.capability, call, approval);
      record = opened;
      const admitted = this.driver.pass(opened);
      if (isPromiseLike(admitted)) await admitted;
      return await this.driver.conclude(opened, () => act(opened, approval, governance));
    } catch (error) {
      return this.driver.fail(record ?? this.unopened(approvalId, options, actor), error);
    }
  }

  /** A call whose approval refused it: who named which approval is audited all the same. */
  private unopened(approvalId: string, options: ExecuteOptions, actor: Principal | undefined): CallRecord {
    const record = this.driver.open('*', options);
    record.known = actor;
    if (isUuid(approvalId)) record.namedApproval = approvalId;
    return record;
  }
}

const openForExecution: Open = (actor, approvalId, { gate }) => gate.open(actor, approvalId);

const openForReading: Open = async (actor, approvalId, { approvals }) => {
  const approval = await approvals.get(actor, approvalId);
  if (!isRequester(actor, approval.requester)) throw new CapabilityError('FORBIDDEN');
  if (approval.outcome !== null) return approval;
  if (approval.state === 'claimed') throw new CapabilityError('IN_PROGRESS', { approvalId, retryAfter: 1 });
  if (approval.state === 'unknown') throw new CapabilityError('OUTCOME_UNKNOWN', { approvalId });
  const refusal = executionRefusal(approval.state);
  throw refusal === undefined
    ? new CapabilityError('APPROVAL_REQUIRED', { approvalId })
    : refuseExecution(approval, refusal);
};
