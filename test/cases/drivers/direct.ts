import {
  ApprovalInbox,
  ApprovalService,
  CapabilityError,
  CapabilityRunner,
  completePrincipal,
  errorEnvelope,
  type Outcome,
  type Principal,
} from 'nest-capabilities';
import type { CaseApp } from '../case-app.js';
import {
  ABSENT,
  type Answer,
  type CallingSurface,
  type CaseApprovals,
  type CaseDriver,
  type ListingSurface,
  wordOf,
} from '../driver.js';
import { type Caller, principalOf } from '../fixtures.js';

const name = 'direct';

/** The runner itself. Its list is what every model-driven surface shows. */
export const DIRECT: CaseDriver = { name, adapters: ['express'], calls, lists };

function calls(on: CaseApp): CallingSurface {
  const runner = on.app.get(CapabilityRunner);
  return {
    id: 'direct',
    name,
    on,
    approvals: approvalsOf(on),
    call: async (as, capability, args) =>
      answerOf(
        await runner.execute(capability, args === ABSENT ? undefined : args, { principal: principalOf(as) }),
      ),
  };
}

function lists(on: CaseApp): ListingSurface {
  const runner = on.app.get(CapabilityRunner);
  return {
    name,
    on,
    list: async (as) =>
      (await runner.visible(verified(as), 'direct')).map((definition) => ({
        name: definition.name,
        inputSchema: definition.input.portable,
      })),
  };
}

/** The approval flow by the services that applications inject. */
function approvalsOf(on: CaseApp): CaseApprovals {
  const runner = on.app.get(CapabilityRunner);
  const service = on.app.get(ApprovalService);
  return {
    pending: async (as) => {
      const page = await on.app.get(ApprovalInbox).list(verified(as), { view: 'decidable' });
      return page.records.map(({ id }) => id);
    },
    decide: async (as, id, { approved, ...reason }) => {
      try {
        const decision = { decision: approved ? 'approve' : 'reject', ...reason } as const;
        const { state } = await service.decide(verified(as), id, decision);
        return { word: 'OK', output: state, text: state };
      } catch (error) {
        if (error instanceof CapabilityError) return refusal(error);
        throw error;
      }
    },
    resume: async (as, id) => answerOf(await runner.executeApproval(id, { principal: verified(as) })),
  };
}

function verified(caller: Caller): Principal {
  return completePrincipal(principalOf(caller))!;
}

function answerOf(outcome: Outcome): Answer {
  if (outcome.status === 'completed') {
    return { word: 'OK', output: outcome.output, text: JSON.stringify(outcome) };
  }
  if (outcome.status === 'failed') return refusal(outcome.error);
  const { approvalId } = outcome.approval;
  return { word: 'NEEDS_APPROVAL', approvalId, text: JSON.stringify(outcome) };
}

function refusal(error: CapabilityError): Answer {
  const envelope = errorEnvelope(error);
  const { field, message } = envelope.error;
  return {
    word: wordOf(error.status, error.reason),
    reason: error.reason,
    message,
    ...(field === undefined ? {} : { field }),
    text: JSON.stringify(envelope),
  };
}
