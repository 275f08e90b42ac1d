import type { ApprovalRecord } from '../../approvals/approval-record.js';
import { refuseExecution } from '../../approvals/approval-refusal.js';
import { approvalTerms } from '../../approvals/approval-terms.js';
import { pendingAction } from '../../approvals/pending-action.js';
import { MODEL_SURFACES } from '../../contract/surface.js';
import { CapabilityError } from '../../errors/capability-error.js';
import { frozenClone } from '../../kernel/frozen-clone.js';
import type { CallRecord } from '../call-record.js';
import type { Governance } from '../pipeline-ports.js';
import type { CallKey } from './look-up-key.js';

/** What the gate answers: nothing asks for approval, the call waits, or an identical call was approved. */
export type GateAnswer =
  | { readonly status: 'open' }
  | { readonly status: 'suspended'; readonly record: ApprovalRecord }
  | { readonly status: 'approved'; readonly record: ApprovalRecord };

const OPEN: GateAnswer = { status: 'open' };

/** Whether this call could be asked to wait at all; without governance a demand denies. */
export function needsGate(record: CallRecord, governance: Governance | undefined): boolean {
  const { required } = record.definition.approval;
  if (record.demands.length > 0 || required === true) {
    if (governance === undefined) throw new CapabilityError('FORBIDDEN');
    return true;
  }
  return (
    governance !== undefined &&
    required === undefined &&
    record.plan!.effect &&
    MODEL_SURFACES.has(record.surface)
  );
}

/** Stage 10: suspends the call until a human has decided, unless nobody asks for that. */
export async function gateApproval(
  record: CallRecord,
  input: unknown,
  key: CallKey | undefined,
  governance: Governance,
): Promise<GateAnswer> {
  const { definition, principal, surface, plan, demands } = record;
  const modelDriven = plan!.effect && MODEL_SURFACES.has(surface);
  const terms = approvalTerms(definition.approval, { demands, modelDriven, human: principal.human });
  if (terms === undefined) return OPEN;
  const view = Object.freeze({ surface, capability: definition.name, principal, context: record.context });
  const asked = await governance.gate.ask({
    principal,
    surface,
    capability: definition.name,
    fingerprint: definition.fingerprint,
    input,
    classes: definition.input.classes,
    // Cloned in the same turn as it is stored: what is shown is what runs, whatever the caller does meanwhile.
    action: pendingAction(definition, frozenClone(input), view),
    terms,
    executionId: record.executionId,
    correlationId: record.correlationId,
    ...(record.span?.traceId === undefined ? {} : { traceId: record.span.traceId }),
    stances: record.stances,
    ...(key === undefined ? {} : { idempotency: key.scope }),
  });
  const answer = await answerOf(record, await confirmed(record, asked.record, governance), governance);
  if (answer.status === 'suspended') record.terminal = asked.event;
  return answer;
}

/** Lets the human behind the call answer at once, where the surface can ask; waiting does not count as time of the call. */
async function confirmed(
  record: CallRecord,
  approval: ApprovalRecord,
  governance: Governance,
): Promise<ApprovalRecord> {
  const { confirmer } = record.options;
  if (confirmer === undefined || approval.state !== 'pending') return approval;
  return record.call.paused(() =>
    governance.approvals.confirmInline(record.principal, approval, confirmer, record.signal),
  );
}

/** An identical call on an approved, unexecuted record executes it where a model drives; elsewhere it is named again. */
async function answerOf(
  record: CallRecord,
  approval: ApprovalRecord,
  governance: Governance,
): Promise<GateAnswer> {
  if (approval.state === 'denied') throw refuseExecution(approval, 'APPROVAL_DENIED');
  const executes = MODEL_SURFACES.has(record.surface) || record.options.confirmer !== undefined;
  if (approval.state !== 'approved' || !executes) return { status: 'suspended', record: approval };
  await governance.gate.recheckApprovers(approval, record.principal);
  return { status: 'approved', record: approval };
}
