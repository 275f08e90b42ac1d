import { Inject, Injectable } from '@nestjs/common';
import { CapabilityError } from '../../errors/capability-error.js';
import { describeFault } from '../../errors/describe-fault.js';
import { errorEnvelope } from '../../errors/error-envelope.js';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import { FaultLogger } from '../../execution/fault-logger.js';
import { Clock } from '../../kernel/clock.js';
import { completePrincipal, type Principal, type PrincipalInput } from '../../kernel/principal.js';
import { AssistantCalls } from './calls/assistant-calls.js';
import { type ReceivedMessages, receiveMessages, reportFalseClaims } from './calls/received-messages.js';
import { type ResumedMessages, resumeMessages } from './calls/resume-messages.js';
import { failedResult, type ToolCallResult } from './calls/tool-call-result.js';
import type { ModelMode } from './conversation/ask-model.js';
import { ConversationLease } from './conversation/conversation-lease.js';
import type { ConverseOptions, Turn, TurnEvent } from './conversation/conversation-options.js';
import { ConversationStore, ownerOf } from '../../execution/conversation-store.js';
import { ConversationTurn } from './conversation/conversation-turn.js';
import { type ProviderReport, providerReport } from './providers/provider-report.js';
import { type AiSdkTools, aiSdkTools } from './tools/ai-sdk-tools.js';
import { type AssistantTool, ToolCatalogue } from './tools/tool-catalogue.js';
import { shapedTools, type ShapedTools, type ToolFormat } from './tools/tool-formats.js';

/** Options of {@link AssistantService.call}. */
export interface CallToolOptions {
  /** The provider's id of the call; comes back with the result. */
  readonly toolCallId?: string;
  /**
   * Binds the call to its id, which must be unique in the conversation: called again, it has no second effect, and
   * after a decision it answers with what was decided.
   */
  readonly conversation?: string;
  /** The arguments come from a tool of OpenAI's strict mode. Default false. */
  readonly strict?: boolean;
  readonly signal?: AbortSignal;
}

type AnyPrincipal = Principal | PrincipalInput;

/** Tools, calls and conversations for a model that runs in this process. Inject it anywhere. */
@Injectable()
export class AssistantService {
  constructor(
    @Inject(CapabilityRunner) private readonly runner: CapabilityRunner,
    @Inject(ToolCatalogue) private readonly catalogue: ToolCatalogue,
    @Inject(AssistantCalls) private readonly calls: AssistantCalls,
    @Inject(ConversationStore) private readonly conversations: ConversationStore,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(FaultLogger) private readonly logger: FaultLogger,
  ) {}

  /**
   * The tools that a principal may use now, in a provider's form: for the AI SDK executable ones, for the others
   * declarations whose calls go to {@link call}. The list never decides a call.
   *
   * @param options.conversation for the AI SDK: binds calls to their ids and turns suspended calls into its approval
   * requests, which {@link resume} takes up.
   * @param options.strict for OpenAI: strict schemas, where a capability has one. Default false.
   * @throws CapabilityError UNAUTHENTICATED for an ill-formed principal.
   */
  tools(
    principal: AnyPrincipal,
    options: { readonly format: 'ai-sdk'; readonly conversation?: string },
  ): Promise<AiSdkTools>;
  tools<F extends ToolFormat>(
    principal: AnyPrincipal,
    options: { readonly format: F; readonly strict?: boolean },
  ): Promise<ShapedTools[F]>;
  async tools(
    principal: AnyPrincipal,
    options: {
      readonly format: 'ai-sdk' | ToolFormat;
      readonly conversation?: string;
      readonly strict?: boolean;
    },
  ): Promise<AiSdkTools | ShapedTools[ToolFormat]> {
    const { format, conversation, strict = false } = options;
    const caller = known(principal);
    const tools = await this.visible(caller);
    if (format !== 'ai-sdk') return shapedTools(tools, format, strict);
    return aiSdkTools(tools, this.calls, {
      principal: caller,
      ...(conversation === undefined ? {} : { conversation }),
    });
  }

  /** Runs one tool call and resolves to its one result. A refusal is a result with the error envelope, never a throw. */
  async call(
    principal: AnyPrincipal | null,
    name: string,
    args: unknown,
    options: CallToolOptions = {},
  ): Promise<ToolCallResult> {
    const caller = principal === null ? undefined : completePrincipal(principal);
    if (caller !== undefined) return this.calls.call({ ...options, principal: caller, name, args });
    const error = errorEnvelope(new CapabilityError('UNAUTHENTICATED'));
    return failedResult({ toolCallId: options.toolCallId, name }, error);
  }

  /**
   * Goes on with model messages of the AI SDK in which calls wait: each gets its one result once it was decided or
   * its time is over. Messages decide nothing; a claimed approval that no record supports is audited as forged.
   *
   * @throws CapabilityError UNAUTHENTICATED for an ill-formed principal; UNAVAILABLE and IN_PROGRESS, after which the
   * same messages can be resumed again.
   */
  async resume<Message>(
    principal: AnyPrincipal,
    messages: readonly Message[],
    options: { readonly conversation: string; readonly signal?: AbortSignal },
  ): Promise<ResumedMessages<Message>> {
    const scope = { ...options, principal: known(principal) };
    await reportFalseClaims(messages, this.calls, scope);
    return resumeMessages(messages, this.calls, scope);
  }

  /**
   * Reads messages as a client sent them: what the user said last counts, everything else is the server's to know.
   * Claimed approvals that no record supports are audited as forged.
   *
   * @throws CapabilityError UNAUTHENTICATED for an ill-formed principal; UNAVAILABLE.
   */
  async receive(
    principal: AnyPrincipal,
    messages: readonly unknown[],
    options: { readonly conversation?: string } = {},
  ): Promise<ReceivedMessages> {
    return receiveMessages(messages, this.calls, { ...options, principal: known(principal) });
  }

  /**
   * One turn of a conversation: the model and its tools in turns, until it is done or a person has to decide. The
   * conversation is stored; any process can go on with it.
   *
   * @throws CapabilityError INPUT_INVALID, TOOL_ERROR with code NOT_FOUND, IN_PROGRESS (it is being answered, or waits
   * for a decision and a message came), UNAVAILABLE (model or store), CANCELLED, UNAUTHENTICATED.
   */
  async converse(principal: AnyPrincipal, options: ConverseOptions): Promise<Turn> {
    const turn = this.turn(principal, options, 'generate');
    for (;;) {
      const { done, value } = await turn.next();
      if (done === true) return value;
    }
  }

  /** Like {@link converse}, streaming: what happens, as it happens. Throws while it is read. */
  stream(principal: AnyPrincipal, options: ConverseOptions): AsyncGenerator<TurnEvent, Turn> {
    return this.turn(principal, options, 'stream');
  }

  /** Removes a conversation. Approvals, keys and audit of its calls stay. */
  async forget(principal: AnyPrincipal, conversation: string): Promise<void> {
    await this.conversations.remove(ownerOf(known(principal)), conversation);
  }

  /** Every tool against every provider's documented limits. */
  providerReport(): ProviderReport {
    return providerReport(this.catalogue.all());
  }

  private async *turn(
    principal: AnyPrincipal,
    options: ConverseOptions,
    mode: ModelMode,
  ): AsyncGenerator<TurnEvent, Turn> {
    const caller = known(principal);
    const { conversation, message } = options;
    const asked = { conversation, begins: message !== undefined };
    const lease = await ConversationLease.take(this.conversations, this.clock, ownerOf(caller), asked);
    const tools = (): Promise<readonly AssistantTool[]> => this.visible(caller);
    const parts = { principal: caller, calls: this.calls, tools, mode };
    try {
      return yield* new ConversationTurn(lease, options, parts).run();
    } catch (error) {
      this.report(lease.id, error);
      throw error;
    }
  }

  /** A fault of the model or a store is told to the caller in one sentence, and here in full. */
  private report(conversation: string, error: unknown): void {
    if (!(error instanceof CapabilityError) || error.reason !== 'UNAVAILABLE') return;
    const fault = { referenceId: conversation, capability: 'assistant', error: describeFault(error.cause) };
    this.logger.error('A conversation was interrupted', fault);
  }

  private async visible(principal: Principal): Promise<readonly AssistantTool[]> {
    return this.catalogue.of(await this.runner.visible(principal, 'assistant'));
  }
}

function known(principal: AnyPrincipal): Principal {
  const complete = completePrincipal(principal);
  if (complete === undefined) throw new CapabilityError('UNAUTHENTICATED');
  return complete;
}
