import { CapabilityError } from '../../../errors/capability-error.js';
import type { AssistantTool } from '../tools/tool-catalogue.js';
import type { ConverseOptions, TurnEvent } from './conversation-options.js';
import type { LanguageModelLike, ModelCall, ModelPart } from './language-model.js';
import { AnswerBuilder, type ModelAnswer } from './model-answer.js';
import type { PromptMessage } from './prompt.js';

/** How a model is asked: for the whole answer, or for its parts as they come. */
export type ModelMode = 'generate' | 'stream';

export interface ModelQuestion {
  readonly prompt: readonly PromptMessage[];
  readonly tools: readonly AssistantTool[];
  readonly mode: ModelMode;
}

/** Asks the model once. Throws CANCELLED or UNAVAILABLE with the model's fault as its private cause. */
export async function* askModel(
  { model, settings, signal }: ConverseOptions,
  { prompt, tools, mode }: ModelQuestion,
): AsyncGenerator<TurnEvent, ModelAnswer> {
  const call: ModelCall = {
    ...settings,
    prompt: [...prompt],
    ...(tools.length === 0 ? {} : { tools: tools.map(modelTool) }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
  const builder = new AnswerBuilder();
  try {
    const parts = mode === 'stream' ? streamed(model, call) : generated(model, call, builder);
    for await (const part of parts) {
      const said = builder.add(part);
      if (said !== undefined) yield { type: said.kind, delta: said.delta };
    }
  } catch (cause) {
    if (signal?.aborted === true) throw new CapabilityError('CANCELLED', { cause });
    throw new CapabilityError('UNAVAILABLE', {
      message: 'The language model did not answer.',
      cause,
      retryAfter: 5,
    });
  }
  return builder.answer();
}

function modelTool({ name, description, schema }: AssistantTool) {
  return { type: 'function' as const, name, description, inputSchema: schema };
}

async function* generated(
  model: LanguageModelLike,
  call: ModelCall,
  builder: AnswerBuilder,
): AsyncGenerator<ModelPart> {
  const { content, finishReason } = await model.doGenerate(call as never);
  yield* content;
  builder.end(finishReason);
}

async function* streamed(model: LanguageModelLike, call: ModelCall): AsyncGenerator<ModelPart> {
  const { stream } = await model.doStream(call as never);
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!ended) void reader.cancel().catch(() => undefined);
  }
}
