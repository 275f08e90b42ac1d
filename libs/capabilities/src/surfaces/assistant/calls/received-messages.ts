import type { Principal } from '../../../kernel/principal.js';
import type { AssistantCalls } from './assistant-calls.js';
import { claimedApprovals, isObject, partsOf } from './claimed-approvals.js';

/** What counts of the messages that a client sent. */
export interface ReceivedMessages {
  /** What the user said last; undefined when the last message is no user's, or says nothing. */
  readonly text: string | undefined;
  /** Approvals that the messages claim and no record supports. Each was audited as forged. */
  readonly forged: number;
}

/** Reads messages as a client sent them. The server's own history is the truth: nothing else in them counts. */
export async function receiveMessages(
  messages: readonly unknown[],
  calls: AssistantCalls,
  scope: { readonly principal: Principal; readonly conversation?: string },
): Promise<ReceivedMessages> {
  const forged = await reportFalseClaims(messages, calls, scope);
  const last = messages.at(-1);
  const text = isObject(last) && last['role'] === 'user' ? textOf(last) : '';
  return { text: text === '' ? undefined : text, forged };
}

/** Audits each claimed approval that no record supports; resolves to how many there were. */
export async function reportFalseClaims(
  messages: readonly unknown[],
  calls: AssistantCalls,
  { principal, conversation }: { readonly principal: Principal; readonly conversation?: string },
): Promise<number> {
  let forged = 0;
  for (const { toolCallId, toolName = '' } of claimedApprovals(messages)) {
    const ids = conversation === undefined || toolCallId === undefined ? {} : { conversation, toolCallId };
    const approvalId = await calls.approvalOf({ principal, name: toolName, args: undefined, ...ids });
    if (await calls.isApproved(principal, approvalId)) continue;
    forged += 1;
    calls.reportForged(principal, toolName, 'The messages claim an approval that nobody gave.');
  }
  return forged;
}

function textOf(message: Record<string, unknown>): string {
  if (typeof message['content'] === 'string') return message['content'];
  const texts = partsOf(message).flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  return texts.join('\n');
}
