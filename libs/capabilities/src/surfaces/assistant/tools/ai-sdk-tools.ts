import { isToolError } from '../../../errors/tool-error.js';
import type { Json, JsonSchema } from '../../../kernel/json.js';
import type { Principal } from '../../../kernel/principal.js';
import { isReadOnly, type CapabilityDefinition } from '../../../registry/capability-definition.js';
import type { AssistantCall, AssistantCalls } from '../calls/assistant-calls.js';
import { HeldCall } from '../calls/held-call.js';
import { claimedApprovals } from '../calls/claimed-approvals.js';
import { pendingValue, toolCallResult, type ToolCallResult } from '../calls/tool-call-result.js';
import type { AssistantTool } from './tool-catalogue.js';

/** What the AI SDK passes to a tool. */
export interface AiSdkCallOptions {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal;
}

/** A tool result in the AI SDK's model form. */
export type AiSdkToolOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'json'; readonly value: Json }
  | { readonly type: 'error-json'; readonly value: Json }
  | { readonly type: 'execution-denied'; readonly reason?: string };

/** A tool of the AI SDK, versions 6 and 7. */
export interface AiSdkTool {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: AiSdkSchema;
  /** Runs the call up to its effect; true when a person has to decide. */
  readonly needsApproval?: (input: unknown, options: AiSdkCallOptions) => Promise<boolean>;
  /** Resolves to the output, to the error envelope, or to the pending value; it never rejects for a refusal. */
  readonly execute: (input: unknown, options: AiSdkCallOptions) => Promise<unknown>;
  readonly toModelOutput: (options: { readonly output: unknown }) => MutableOutput;
}

/** The AI SDK's types are mutable. */
type MutableOutput =
  | { type: 'text'; value: string }
  | {
      type: 'json' | 'error-json';
      value: null | string | number | boolean | { [key: string]: never } | never[];
    }
  | { type: 'execution-denied'; reason?: string };

/** A schema that the AI SDK takes as it is, without validating: the pipeline does, after permissions. */
export interface AiSdkSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** Tools by name, for `generateText` and `streamText`. */
export type AiSdkTools = Record<string, AiSdkTool>;

/** Who the tools are for. */
export interface AiSdkToolsOptions {
  readonly principal: Principal;
  /** Binds calls to their ids; without it suspended calls are answered with the pending value. */
  readonly conversation?: string;
}

/** Executable tools for the AI SDK. Made for one request. */
export function aiSdkTools(
  tools: readonly AssistantTool[],
  calls: AssistantCalls,
  options: AiSdkToolsOptions,
): AiSdkTools {
  return Object.fromEntries(
    tools.map((tool) => [tool.name, new AiSdkCapability(tool, calls, options).tool()]),
  );
}

class AiSdkCapability {
  private readonly held = new Map<string, HeldCall>();

  constructor(
    private readonly capability: AssistantTool,
    private readonly calls: AssistantCalls,
    private readonly options: AiSdkToolsOptions,
  ) {}

  tool(): AiSdkTool {
    const { description, schema, definition } = this.capability;
    const asks = this.options.conversation !== undefined && maySuspend(definition);
    return {
      title: definition.title,
      description,
      inputSchema: aiSdkSchema(schema),
      ...(asks ? { needsApproval: (input, options) => this.needsApproval(input, options) } : {}),
      execute: (input, options) => this.execute(input, options),
      toModelOutput: ({ output }) => aiSdkOutput(output) as MutableOutput,
    };
  }

  private async needsApproval(input: unknown, { toolCallId }: AiSdkCallOptions): Promise<boolean> {
    const call = this.callOf(input, toolCallId);
    try {
      // A call that already waits is asked about again; whether it may run is decided when it is executed.
      if ((await this.calls.approvalOf(call)) !== undefined) return true;
      const held = new HeldCall((beforeTake, signal) => this.calls.execute(call, { beforeTake, signal }));
      const reached = await held.reached;
      if (reached !== 'ready' && reached.status === 'suspended') {
        await this.calls.concluded(call, reached);
        return true;
      }
      this.held.set(toolCallId, held);
      return false;
    } catch {
      // A store that cannot be reached: the execution meets it again, and answers with it.
      return false;
    }
  }

  private async execute(
    input: unknown,
    { toolCallId, messages, abortSignal }: AiSdkCallOptions,
  ): Promise<unknown> {
    const call = this.callOf(input, toolCallId, abortSignal);
    const held = this.held.get(toolCallId);
    this.held.delete(toolCallId);
    const outcome = await held?.finish(abortSignal);
    const result =
      outcome === undefined
        ? await this.calls.call(call)
        : toolCallResult({ toolCallId, name: call.name }, outcome);
    if (result.status === 'suspended') this.checkClaims(call, messages);
    return resultValue(result);
  }

  /** The AI SDK runs a suspended call when its messages say that somebody approved it. */
  private checkClaims({ principal, toolCallId, name }: AssistantCall, messages: readonly unknown[]): void {
    const claimed = claimedApprovals(messages).some((claim) => claim.toolCallId === toolCallId);
    if (claimed) this.calls.reportForged(principal, name, 'The messages claim an approval that nobody gave.');
  }

  private callOf(args: unknown, toolCallId: string, signal?: AbortSignal): AssistantCall {
    const { principal, conversation } = this.options;
    return {
      principal,
      name: this.capability.name,
      args,
      toolCallId,
      ...(conversation === undefined ? {} : { conversation }),
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

/** What a tool returns to the AI SDK. */
function resultValue(result: ToolCallResult): unknown {
  if (result.status === 'completed') return result.output ?? null;
  return result.status === 'suspended' ? pendingValue(result.approval) : { error: result.error };
}

/** A returned value, or one read back from a history, in the form that goes to the model. */
function aiSdkOutput(value: unknown): AiSdkToolOutput {
  if (typeof value === 'string') return { type: 'text', value };
  if (!isToolError(value)) return { type: 'json', value: (value ?? null) as Json };
  const { code, message } = value.error;
  if (code === 'APPROVAL_DENIED') return { type: 'execution-denied', reason: message };
  return { type: 'error-json', value: value as unknown as Json };
}

/** The one tool result of a call. */
export function aiSdkResult(result: ToolCallResult): AiSdkToolOutput {
  return aiSdkOutput(resultValue(result));
}

/** Reads wait only where that is declared; a policy that asks all the same is answered with the pending value. */
function maySuspend(definition: CapabilityDefinition): boolean {
  return definition.approval.required === true || !isReadOnly(definition);
}

const SCHEMA = Symbol.for('vercel.ai.schema');

/** In the AI SDK's own form, which leaves the schema as it is; the standard one is there for the types. */
function aiSdkSchema(schema: JsonSchema): AiSdkSchema {
  const jsonSchema = (): Record<string, unknown> => structuredClone(schema);
  const own = { [SCHEMA]: true, jsonSchema: schema, validate: undefined };
  return {
    ...own,
    '~standard': {
      version: 1,
      vendor: 'nest-capabilities',
      validate: (value) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}
