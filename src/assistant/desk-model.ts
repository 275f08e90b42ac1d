import type { LanguageModelLike } from 'nest-capabilities/assistant';
import { ScriptedModel } from './scripted-model.js';

export const DESK_MODEL = Symbol('DeskModel');

/**
 * The model of the chat: any server that speaks the OpenAI chat protocol, named by `ASSISTANT_MODEL_URL`,
 * `ASSISTANT_MODEL` and `ASSISTANT_API_KEY`; without them a scripted one that needs no network.
 */
export async function deskModel(): Promise<LanguageModelLike> {
  const { ASSISTANT_MODEL_URL: baseURL, ASSISTANT_MODEL: model, ASSISTANT_API_KEY: apiKey } = process.env;
  if (baseURL === undefined || model === undefined) return new ScriptedModel();
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const key = apiKey === undefined ? {} : { apiKey };
  return createOpenAICompatible({ name: 'assistant', baseURL, ...key })(model);
}
