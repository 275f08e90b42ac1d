import type { JsonSchema } from '../../../kernel/json.js';
import type { PromptMessage } from './prompt.js';

/** A tool as a language model of the AI SDK takes it. */
export interface ModelTool {
  type: 'function';
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

/** Settings of one model call, passed on as they are. */
export interface ModelSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed?: number;
  readonly stopSequences?: string[];
  readonly headers?: Record<string, string | undefined>;
  /** By provider. */
  readonly providerOptions?: Record<string, Record<string, never>>;
}

/** What a model is asked. */
export interface ModelCall extends ModelSettings {
  prompt: PromptMessage[];
  tools?: ModelTool[];
  abortSignal?: AbortSignal;
}

/** A part of an answer; which members it has depends on its `type`. */
export interface ModelPart {
  readonly type: string;
}

/** Why a model stopped. */
export interface ModelFinish {
  readonly unified: string;
}

/**
 * A language model of the AI SDK, as far as it is used: specifications v3 and v4 (AI SDK 6 and 7). Providers' models
 * fit; a gateway's model id has to be made a model first.
 */
export interface LanguageModelLike {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  // Methods, so that models with narrower parameter types fit.
  doGenerate(
    call: never,
  ): PromiseLike<{ readonly content: readonly ModelPart[]; readonly finishReason: ModelFinish }>;
  doStream(call: never): PromiseLike<{ readonly stream: ReadableStream<ModelPart> }>;
}
