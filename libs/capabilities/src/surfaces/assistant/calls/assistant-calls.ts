import type { ApprovalService } from '../../../approvals/approval-service.js';
import type { ApprovalRecord } from '../../../approvals/approval-record.js';
import { CapabilityError } from '../../../errors/capability-error.js';
import { errorEnvelope } from '../../../errors/error-envelope.js';
import type { ErrorReason } from '../../../errors/error-table.js';
import { normalizeError } from '../../../errors/normalize-error.js';
import type { CapabilityRunner } from '../../../execution/capability-runner.js';
import type { CapabilityStore } from '../../../execution/capability-store.js';
import { type ConversationStore, ownerOf } from '../../../execution/conversation-store.js';
import type { ExecuteOptions } from '../../../execution/execution-request.js';
import type { Outcome } from '../../../execution/outcome.js';
import { sha256 } from '../../../kernel/hash.js';
import type { Principal } from '../../../kernel/principal.js';
import { withoutNulls } from '../providers/without-nulls.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import { type CallRef, failedResult, toolCallResult, type ToolCallResult } from './tool-call-result.js';

/** One call of a tool. */
export interface AssistantCall {
  readonly principal: Principal;
  /** Name of the tool. */
  readonly name: string;
  /** The arguments as the model gave them. */
  readonly args: unknown;
  readonly toolCallId?: string;
  /** Binds the call to its id: it has at most one effect, and its result after a decision is found by it. */
  readonly conversation?: string;
  /** Tells calls with the same id apart, where a model numbers them anew in each answer. */
  readonly step?: number;
  /** The arguments come from a tool with OpenAI's strict schema. */
  readonly strict?: boolean;
  readonly signal?: AbortSignal;
}

/** Runs tool calls through the pipeline, on the surface `assistant`. A failure is a result, never a throw. */
export class AssistantCalls {
  constructor(
    private readonly runner: CapabilityRunner,
    private readonly catalogue: ToolCatalogue,
    private readonly store: CapabilityStore,
    private readonly approvals: ApprovalService,
    private readonly conversations: ConversationStore,
  ) {}

  /** Runs a call; one that waits for a decision under the same id is taken up where it stands. */
  call(call: AssistantCall): Promise<ToolCallResult> {
    return answered(call, async () => {
      const waiting = await this.approvalOf(call);
      return waiting === undefined ? this.run(call) : this.settle(call, waiting);
    });
  }

  /** Runs a call as a new one; its key still finds what a call with the same one came to. */
  run(call: AssistantCall): Promise<ToolCallResult> {
    return answered(call, async () => this.concluded(call, await this.execute(call)));
  }

  /** The pipeline's own outcome of a call. */
  execute(call: AssistantCall, options: Partial<ExecuteOptions> = {}): Promise<Outcome> {
    const { principal, name, signal } = call;
    const tool = this.catalogue.get(name);
    const key = callKey(call);
    const input =
      call.strict === true && tool !== undefined ? withoutNulls(call.args, tool.schema) : call.args;
    return this.runner.execute(tool?.definition.name ?? this.unknownName(name), input, {
      principal,
      surface: 'assistant',
      ...(signal === undefined ? {} : { signal }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
      ...options,
    });
  }

  /** The result of an outcome; a suspended call is remembered under its id. */
  async concluded(call: AssistantCall, outcome: Outcome): Promise<ToolCallResult> {
    const { principal, conversation, toolCallId } = call;
    if (outcome.status === 'suspended' && conversation !== undefined && toolCallId !== undefined) {
      await this.conversations.remember(
        ownerOf(principal),
        conversation,
        toolCallId,
        outcome.approval.approvalId,
      );
    }
    return toolCallResult(refOf(call), outcome);
  }

  /** The approval that a call of this id waits for, or waited for. */
  async approvalOf({ principal, conversation, toolCallId }: AssistantCall): Promise<string | undefined> {
    if (conversation === undefined || toolCallId === undefined) return undefined;
    return this.conversations.recall(ownerOf(principal), conversation, toolCallId);
  }

  /**
   * What became of a suspended call: executes it once it is approved, and answers its stored outcome from then on.
   * The stored input runs, whatever arguments come along.
   */
  settle(call: AssistantCall, approvalId: string): Promise<ToolCallResult> {
    const { principal, signal } = call;
    const options = { principal, surface: 'assistant' as const, ...(signal === undefined ? {} : { signal }) };
    return answered(call, async () => {
      const outcome = await this.runner.executeApproval(approvalId, options);
      const consumed = outcome.status === 'failed' && outcome.error.reason === 'CONSUMED';
      return toolCallResult(
        refOf(call),
        consumed ? await this.runner.approvalOutcome(approvalId, options) : outcome,
      );
    });
  }

  /**
   * Like {@link settle}, for a result that is kept for good. Throws what will pass: UNAVAILABLE, or IN_PROGRESS where
   * another process executes the approval.
   */
  async settleForGood(call: AssistantCall, approvalId: string): Promise<ToolCallResult> {
    const result = await this.settle(call, approvalId);
    if (result.status !== 'failed' || !PASSING.has(result.error.reason)) return result;
    const { reason, message } = result.error;
    throw new CapabilityError(reason, { message, approvalId, retryAfter: result.error.retryAfter ?? 1 });
  }

  /** True when a person approved this very request; an unknown id and a foreign one are no. */
  async isApproved(principal: Principal, approvalId: string | undefined): Promise<boolean> {
    if (approvalId === undefined) return false;
    const record = await this.store.approvals.get(principal.tenant, approvalId);
    return record !== undefined && DECIDED_FOR.has(record.state);
  }

  /** Audits a claimed approval that no record supports. */
  reportForged(principal: Principal, tool: string, reason: string): void {
    const capability = this.catalogue.get(tool)?.definition.name ?? '*';
    this.approvals.reportForged(principal, { capability, reason }, 'assistant');
  }

  /** A name that is no tool must not reach the capability that has it. */
  private unknownName(asked: string): string {
    const name = asked.slice(0, 128);
    return this.runner.registry.get(name) === undefined ? name : `assistant#${name}`;
  }
}

const PASSING: ReadonlySet<ErrorReason> = new Set<ErrorReason>(['UNAVAILABLE', 'IN_PROGRESS']);

const DECIDED_FOR: ReadonlySet<ApprovalRecord['state']> = new Set([
  'approved',
  'claimed',
  'succeeded',
  'failed',
  'unknown',
]);

const refOf = ({ toolCallId, name }: AssistantCall): CallRef => ({ toolCallId, name });

/** The idempotency key of a call that is bound to its id. */
function callKey({ conversation, step, toolCallId }: AssistantCall): string | undefined {
  if (conversation === undefined || toolCallId === undefined) return undefined;
  return sha256(
    'nest-capabilities.assistant.call.v1',
    JSON.stringify([conversation, step ?? null, toolCallId]),
  );
}

/** Whatever goes wrong around a call, such as a store that cannot be reached, is its result. */
async function answered(call: AssistantCall, work: () => Promise<ToolCallResult>): Promise<ToolCallResult> {
  try {
    return await work();
  } catch (error) {
    return failedResult(refOf(call), errorEnvelope(normalizeError(error)));
  }
}
