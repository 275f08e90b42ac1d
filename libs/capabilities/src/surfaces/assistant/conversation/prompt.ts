import type { Json } from '../../../kernel/json.js';

type Options = { readonly providerOptions?: Json };

/** A part of a message, in the form that the AI SDK's language models take. */
export type PromptPart =
  | ({ readonly type: 'text' | 'reasoning'; readonly text: string } & Options)
  | ({
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly providerExecuted?: true;
    } & Options)
  | ({
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: Json;
    } & Options);

/** A message of a conversation: plain JSON. */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly PromptPart[] };

export function userMessage(text: string): PromptMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}
