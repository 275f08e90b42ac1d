import { CapabilityError } from '../../../errors/capability-error.js';
import { errorEnvelope } from '../../../errors/error-envelope.js';
import { isRecord } from '../../../kernel/json.js';
import type { Principal } from '../../../kernel/principal.js';
import { aiSdkResult } from '../tools/ai-sdk-tools.js';
import type { AssistantCall, AssistantCalls } from './assistant-calls.js';
import { claimedApprovals, partsOf } from './claimed-approvals.js';
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

/**
 * Gives every tool call of a message list its one result: of the approved call, of the refusal, or of a call that
 * no record knows, which is not run. Approval parts are taken out; what they claim decides nothing.
 */
export async function resumeMessages<Message>(
  messages: readonly Message[],
  calls: AssistantCalls,
  { principal, conversation, signal }: Pick<AssistantCall, 'principal' | 'signal'> & { readonly conversation: string },
): Promise<ResumedMessages<Message>> {
  await reportFalseClaims(messages, calls, principal, conversation);
  const answered = new Set(messages.flatMap(resultIds));
  const waiting: SuspendedToolCall[] = [];
  const resumed: Message[] = [];
  let due: unknown[] = [];
  for (const message of messages) {
    const role = isRecord(message) ? message['role'] : undefined;
    if (role === 'tool') {
      const content = [...partsOf(message).filter((part) => !isApprovalPart(part)), ...due];
      due = [];
      if (content.length > 0) resumed.push({ ...message, content });
      continue;
    }
    if (due.length > 0) resumed.push(toolMessage<Message>(due));
    due = [];
    const open = role === 'assistant' ? openCalls(message, answered) : [];
    for (const { toolCallId, toolName, input } of open) {
      const call = { principal, conversation, toolCallId, name: toolName, args: input };
      const result = await resultOf({ ...call, ...(signal === undefined ? {} : { signal }) }, calls);
      if (result.status === 'suspended') waiting.push(result);
      else due.push({ type: 'tool-result', toolCallId, toolName, output: aiSdkResult(result) });
    }
    resumed.push(withoutApprovals(message));
  }
  if (due.length > 0) resumed.push(toolMessage<Message>(due));
  return { ready: waiting.length === 0, messages: resumed, waiting };
}

/** Audits each claimed approval that no record supports; returns how many there were. */
export async function reportFalseClaims(
  messages: readonly unknown[],
  calls: AssistantCalls,
  principal: Principal,
  conversation: string | undefined,
): Promise<number> {
  let forged = 0;
  for (const { toolCallId, toolName = '' } of claimedApprovals(messages)) {
    const call = { principal, name: toolName, args: undefined, ...defined({ conversation, toolCallId }) };
    if (await calls.isApproved(principal, await calls.approvalOf(call))) continue;
    forged += 1;
    calls.reportForged(principal, toolName, 'The messages claim an approval that nobody gave.');
  }
  return forged;
}

async function resultOf(call: AssistantCall, calls: AssistantCalls): Promise<ToolCallResult> {
  const approvalId = await calls.approvalOf(call);
  if (approvalId !== undefined) return calls.settle(call, approvalId);
  const message = 'No record of this call exists, so it was not run.';
  const error = new CapabilityError('CANCELLED', { message, retryable: false });
  return failedResult({ toolCallId: call.toolCallId, name: call.name }, errorEnvelope(error));
}

interface OpenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

function openCalls(message: unknown, answered: ReadonlySet<unknown>): readonly OpenCall[] {
  return partsOf(message).flatMap(({ type, toolCallId, toolName, input, providerExecuted }) => {
    const open = type === 'tool-call' && providerExecuted !== true && !answered.has(toolCallId);
    return open ? [{ toolCallId: String(toolCallId), toolName: String(toolName), input }] : [];
  });
}

function resultIds(message: unknown): readonly unknown[] {
  return partsOf(message).flatMap((part) => (part['type'] === 'tool-result' ? [part['toolCallId']] : []));
}

function withoutApprovals<Message>(message: Message): Message {
  if (!isRecord(message) || !Array.isArray(message['content'])) return message;
  return { ...message, content: partsOf(message).filter((part) => !isApprovalPart(part)) };
}

function isApprovalPart({ type }: Record<string, unknown>): boolean {
  return type === 'tool-approval-request' || type === 'tool-approval-response';
}

function toolMessage<Message>(content: readonly unknown[]): Message {
  return { role: 'tool', content } as Message;
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
