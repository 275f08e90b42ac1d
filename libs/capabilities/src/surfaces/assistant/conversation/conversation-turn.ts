import { CapabilityError } from '../../../errors/capability-error.js';
import { errorEnvelope } from '../../../errors/error-envelope.js';
import type { SuspendedApproval } from '../../../execution/outcome.js';
import type { Principal } from '../../../kernel/principal.js';
import type { AssistantCalls } from '../calls/assistant-calls.js';
import { failedResult, type ToolCallResult } from '../calls/tool-call-result.js';
import { aiSdkResult } from '../tools/ai-sdk-tools.js';
import type { AssistantTool } from '../tools/tool-catalogue.js';
import type { ConversationLease } from './conversation-lease.js';
import type { ConverseOptions, Turn, TurnEvent, WaitingCall } from './conversation-options.js';
import type { OpenCall } from '../../../execution/conversation-store.js';
import type { ModelAnswer, ModelToolCall } from './model-answer.js';
import { askModel, type ModelMode } from './ask-model.js';
import { type PromptMessage, userMessage } from './prompt.js';

const MAX_STEPS = 8;

/** What a turn works with. */
export interface TurnParts {
  readonly principal: Principal;
  readonly calls: AssistantCalls;
  /** The tools that the principal may use now. */
  readonly tools: () => Promise<readonly AssistantTool[]>;
  readonly mode: ModelMode;
}

/** One turn: open calls first, then model and tools in turns, until the model is done or a person is needed. */
export class ConversationTurn {
  private steps = 0;
  private text = '';

  constructor(
    private readonly lease: ConversationLease,
    private readonly options: ConverseOptions,
    private readonly parts: TurnParts,
  ) {}

  async *run(): AsyncGenerator<TurnEvent, Turn> {
    try {
      return yield* this.proceed();
    } finally {
      await this.lease.abandon();
    }
  }

  private async *proceed(): AsyncGenerator<TurnEvent, Turn> {
    yield { type: 'start', conversation: this.lease.id };
    const waiting = yield* this.settleOpen();
    if (waiting.length > 0) return yield* this.suspend(waiting);
    const { message, maxSteps = MAX_STEPS } = this.options;
    if (message !== undefined) this.lease.append(userMessage(message));
    await this.lease.save();
    while (this.steps < maxSteps) {
      this.steps += 1;
      const answer = yield* this.askModel();
      if (answer.calls.length === 0) return yield* this.end(answer.complete ? 'completed' : 'stopped');
      for (const call of answer.calls) {
        yield { type: 'tool-call', toolCallId: call.toolCallId, name: call.name, input: call.input };
        const result = refused(call, answer);
        if (result !== undefined) yield { type: 'tool-result', result };
      }
      // Stored before anything runs: whoever goes on after a crash finds the calls, under the same keys.
      await this.lease.save();
      const open = yield* this.settleOpen();
      if (open.length > 0) return yield* this.suspend(open);
      if (!answer.complete) break;
    }
    return yield* this.end('stopped');
  }

  private async *askModel(): AsyncGenerator<TurnEvent, ModelAnswer> {
    const { system } = this.options;
    const instructions: PromptMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
    const prompt = [...instructions, ...this.lease.messages];
    const answer = yield* askModel(this.options, {
      prompt,
      tools: await this.parts.tools(),
      mode: this.parts.mode,
    });
    this.text = answer.text;
    if (answer.content.length > 0) this.lease.append({ role: 'assistant', content: answer.content });
    this.lease.setOpen(
      answer.calls.map((call) => {
        const { toolCallId, name, input } = call;
        return withResult({ toolCallId, name, input }, refused(call, answer));
      }),
    );
    return answer;
  }

  /** Runs or takes up every open call; when all have a result, the results become one message. */
  private async *settleOpen(): AsyncGenerator<TurnEvent, readonly WaitingCall[]> {
    const { open } = this.lease;
    if (open.length === 0) return [];
    const results = await Promise.all(open.map((call) => this.settle(call)));
    this.lease.setOpen(open.map((call, index) => withResult(call, results[index])));
    for (const result of results) if (result !== undefined) yield { type: 'tool-result', result };
    const waiting = results.flatMap((result) =>
      result?.status === 'suspended' ? [waitingCall(result)] : [],
    );
    if (waiting.length > 0) return waiting;
    const content = this.lease.open.map(({ toolCallId, name, result }) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName: name,
      output: result ?? null,
    }));
    this.lease.append({ role: 'tool', content });
    this.lease.setOpen([]);
    return [];
  }

  /** Undefined for a call that has its result. */
  private async settle({
    toolCallId,
    name,
    input,
    approvalId,
    result,
  }: OpenCall): Promise<ToolCallResult | undefined> {
    if (result !== undefined) return undefined;
    const { principal, calls } = this.parts;
    const { signal } = this.options;
    const { id: conversation, messages } = this.lease;
    // The place of the answer tells calls with the same id apart.
    const bound = { principal, toolCallId, conversation, step: messages.length };
    const call = { ...bound, name, args: input, ...(signal === undefined ? {} : { signal }) };
    return approvalId === undefined ? calls.run(call) : calls.settleForGood(call, approvalId);
  }

  private async *suspend(waiting: readonly WaitingCall[]): AsyncGenerator<TurnEvent, Turn> {
    await this.lease.release();
    if (this.options.message !== undefined && this.steps === 0) throw stillWaiting(waiting[0]!.approval);
    return yield* this.finish({ status: 'suspended', waiting });
  }

  private async *end(status: 'completed' | 'stopped'): AsyncGenerator<TurnEvent, Turn> {
    await this.lease.release();
    return yield* this.finish({ status, waiting: [] });
  }

  private async *finish(end: Pick<Turn, 'status' | 'waiting'>): AsyncGenerator<TurnEvent, Turn> {
    const turn: Turn = { conversation: this.lease.id, ...end, text: this.text, steps: this.steps };
    yield { type: 'finish', turn };
    return turn;
  }
}

const NOT_JSON = new CapabilityError('INPUT_INVALID', { message: 'The arguments are not JSON.' });
const CUT_OFF = new CapabilityError('CANCELLED', { message: 'The answer was cut off, so nothing was run.' });

/** What a call is answered that is not run at all; undefined for one that is. */
function refused(call: ModelToolCall, { complete }: ModelAnswer): ToolCallResult | undefined {
  const error = call.unreadable ? NOT_JSON : complete ? undefined : CUT_OFF;
  return error === undefined ? undefined : failedResult(call, errorEnvelope(error));
}

function withResult(call: OpenCall, result: ToolCallResult | undefined): OpenCall {
  if (result === undefined) return call;
  if (result.status === 'suspended') return { ...call, approvalId: result.approval.approvalId };
  return { ...call, result: aiSdkResult(result) };
}

function waitingCall({
  toolCallId,
  name,
  approval,
}: Extract<ToolCallResult, { status: 'suspended' }>): WaitingCall {
  return { toolCallId: toolCallId ?? '', name, approval };
}

function stillWaiting({ approvalId, links, decideBy }: SuspendedApproval): CapabilityError {
  const message = `This conversation waits for approval ${approvalId} until ${decideBy}.`;
  return new CapabilityError('IN_PROGRESS', { message, approvalId, links });
}
