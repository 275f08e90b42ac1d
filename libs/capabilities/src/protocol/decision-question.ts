import type { ApprovalRecord } from '../approvals/approval-record.js';
import { InlineConfirmer, type InlineAnswer } from '../approvals/inline-confirmer.js';
import type { ClientRequest } from '../contract/client-channel.js';
import { isRecord } from '../kernel/json.js';

/** Gives the client's answer to a question, or undefined when there is none yet. */
export type AnswerTo = (key: string, question: ClientRequest) => Promise<unknown>;

/**
 * Lets the human behind a call decide on it through their client. The gate asks only where that human may decide
 * themselves; a call that waits for anybody else never gets here.
 */
export class DecisionQuestion extends InlineConfirmer {
  /** The approval that still waits for its principal. */
  waiting: ApprovalRecord | undefined;

  /** Without `answerTo` the decision is made elsewhere, on a page. */
  constructor(private readonly answerTo: AnswerTo | undefined) {
    super();
  }

  get asksByForm(): boolean {
    return this.answerTo !== undefined;
  }

  async confirm(approval: ApprovalRecord): Promise<InlineAnswer | undefined> {
    const answer = await this.answerTo?.(decisionKey(approval.id), decisionForm(approval));
    const decision = decisionOf(answer);
    this.waiting = decision === undefined ? approval : undefined;
    return decision;
  }
}

/** The question's key across the rounds of one call: an answer is for one approval. */
export function decisionKey(approvalId: string): string {
  return `approval:${approvalId}`;
}

/** The decision as a form. */
export function decisionForm({ action, reasons }: ApprovalRecord): ClientRequest {
  const target = `${action.target.kind} ${action.target.id}`;
  const lines = [
    `${action.verb} (${target})`,
    JSON.stringify(action.arguments, null, 2),
    action.reversible ? 'This can be undone.' : 'This cannot be undone.',
    ...reasons,
  ];
  return {
    method: 'elicitation/create',
    params: {
      message: lines.join('\n'),
      requestedSchema: {
        type: 'object',
        properties: { approve: { type: 'boolean', title: 'Approve', description: 'Run this call now.' } },
        required: ['approve'],
      },
    },
  };
}

/** Declining is a rejection; closing the question decides nothing. */
function decisionOf(answer: unknown): InlineAnswer | undefined {
  if (!isRecord(answer)) return undefined;
  const { action, content } = answer;
  if (action === 'decline') return { decision: 'reject' };
  if (action !== 'accept' || !isRecord(content) || typeof content['approve'] !== 'boolean') return undefined;
  return { decision: content['approve'] ? 'approve' : 'reject' };
}
