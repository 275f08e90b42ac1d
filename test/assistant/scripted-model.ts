import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

type Answer = readonly LanguageModelV4Content[];

export const say = (text: string): Answer => [{ type: 'text', text }];

export function calls(
  ...asked: readonly (readonly [toolCallId: string, toolName: string, input: unknown])[]
): Answer {
  return asked.map(([toolCallId, toolName, input]) => ({
    type: 'tool-call',
    toolCallId,
    toolName,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }));
}

/** A model that gives these answers one after the other, and remembers what it was sent. */
export function scripted(...answers: readonly Answer[]): ScriptedModel {
  const prompts: LanguageModelV4Prompt[] = [];
  const left = [...answers];
  const next = (prompt: LanguageModelV4Prompt) => {
    prompts.push(structuredClone(prompt));
    const content = left.shift();
    if (content === undefined) throw new Error('The script has ended.');
    const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    return { content: [...content], finishReason: { unified, raw: undefined } as const };
  };
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => ({ ...next(prompt), usage: USAGE, warnings: [] }),
    doStream: async ({ prompt }) => {
      const { content, finishReason } = next(prompt);
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          ...content.flatMap((part, index) => {
            if (part.type !== 'text') return [part as never];
            const id = String(index);
            return [
              { type: 'text-start' as const, id },
              ...part.text.split(/(?<= )/).map((delta) => ({ type: 'text-delta' as const, id, delta })),
              { type: 'text-end' as const, id },
            ];
          }),
          { type: 'finish', finishReason, usage: USAGE },
        ]),
      };
    },
  });
  return Object.assign(model, { prompts });
}

export type ScriptedModel = LanguageModelV4 & { readonly prompts: LanguageModelV4Prompt[] };
