import { CapabilityError } from '../../../errors/capability-error.js';
import { errorEnvelope } from '../../../errors/error-envelope.js';
import { aiSdkResult } from '../tools/ai-sdk-tools.js';
import type { AssistantCall, AssistantCalls } from './assistant-calls.js';
import { isObject, partsOf } from './claimed-approvals.js';
import { failedResult, type SuspendedToolCall, type ToolCallResult } from './tool-call-result.js';

/** A message list that goes on. */
export interface ResumedMessages<Message> {
  /** True when every tool call has its one result: the list can be sent to a model. */
  readonly ready: boolean;
  /** The list with the results that are there, and without approval parts. */
  readonly messages: Message[];
  /** Calls that still wait for a person. */
  readonly waiting: readonly SuspendedToolCall[];
}

/** Whose calls they are, and in which conversation. */
export interface ResumeScope extends Pick<AssistantCall, 'principal' | 'signal'> {
  readonly conversation: string;
}

type Part = Record<string, unknown>;

/**
 * Gives every tool call of a message list its one result: of the approved call, of the refusal, or of a call that
 * no record knows, which is not run. Approval parts are taken out; what they claim decides nothing.
 */
export async function resumeMessages<Message>(
  messages: readonly Message[],
  calls: AssistantCalls,
  scope: ResumeScope,
): Promise<ResumedMessages<Message>> {
  const answered = new Set(messages.flatMap(resultIds));
  const waiting: SuspendedToolCall[] = [];
  const resumed: Message[] = [];
  let due = new DueResults([]);
  for (const message of messages) {
    const role = isObject(message) ? message['role'] : undefined;
    if (role === 'tool') {
      const content = due.join(withoutApprovals(partsOf(message)));
      if (content.length > 0) resumed.push({ ...message, content });
      continue;
    }
    resumed.push(...due.asMessage<Message>());
    due = new DueResults(callsOf(message));
    for (const call of role === 'assistant' ? due.calls : []) {
      if (answered.has(call['toolCallId'])) continue;
      const result = await resultOf(call, calls, scope);
      if (result.status === 'suspended') waiting.push(result);
      else due.add(call, result);
    }
    resumed.push(stripped(message));
  }
  resumed.push(...due.asMessage<Message>());
  return { ready: waiting.length === 0, messages: resumed, waiting };
}

/** Results that have to follow the calls of one model answer, in the order of the calls. */
class DueResults {
  private results: Part[] = [];

  constructor(readonly calls: readonly Part[]) {}

  add({ toolCallId, toolName }: Part, result: ToolCallResult): void {
    this.results.push({ type: 'tool-result', toolCallId, toolName, output: aiSdkResult(result) });
  }

  /** Hands the results over, together with those that are there already. */
  join(present: readonly Part[]): readonly Part[] {
    const all = [...present, ...this.results];
    this.results = [];
    const place = (part: Part): number =>
      this.calls.findIndex(({ toolCallId }) => toolCallId === part['toolCallId']);
    return all.sort((a, b) => place(a) - place(b));
  }

  asMessage<Message>(): readonly Message[] {
    const content = this.join([]);
    return content.length === 0 ? [] : [{ role: 'tool', content } as Message];
  }
}

async function resultOf(
  { toolCallId, toolName, input }: Part,
  calls: AssistantCalls,
  scope: ResumeScope,
): Promise<ToolCallResult> {
  const call = { ...scope, toolCallId: String(toolCallId), name: String(toolName), args: input };
  const approvalId = await calls.approvalOf(call);
  if (approvalId !== undefined) return calls.settleForGood(call, approvalId);
  const message = 'No record of this call exists, so it was not run.';
  return failedResult(call, errorEnvelope(new CapabilityError('CANCELLED', { message, retryable: false })));
}

/** The calls that the application answers. */
function callsOf(message: unknown): readonly Part[] {
  return partsOf(message).filter((part) => part['type'] === 'tool-call' && part['providerExecuted'] !== true);
}

function resultIds(message: unknown): readonly unknown[] {
  return partsOf(message).flatMap((part) => (part['type'] === 'tool-result' ? [part['toolCallId']] : []));
}

function stripped<Message>(message: Message): Message {
  if (!isObject(message) || !Array.isArray(message['content'])) return message;
  return { ...message, content: withoutApprovals(partsOf(message)) };
}

function withoutApprovals(parts: readonly Part[]): readonly Part[] {
  return parts.filter(({ type }) => type !== 'tool-approval-request' && type !== 'tool-approval-response');
}
