import type { LanguageModelLike } from 'nest-capabilities/assistant';

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly output?: { readonly type: string; readonly value?: unknown; readonly reason?: string };
}

interface Call {
  readonly prompt: readonly { readonly role: string; readonly content: string | readonly Part[] }[];
  readonly tools?: readonly { readonly name: string; readonly description: string }[];
}

interface Answer {
  readonly content: readonly ({ readonly type: string } & Record<string, unknown>)[];
  readonly finishReason: { readonly unified: 'stop' | 'tool-calls' };
}

/**
 * Stands in for a language model, offline and the same every time: a message that starts with the name of a tool
 * calls it with the JSON behind the name, and the answer repeats what came back.
 */
export class ScriptedModel implements LanguageModelLike {
  readonly specificationVersion = 'v4';
  readonly provider = 'desk';
  readonly modelId = 'scripted';

  async doGenerate(call: Call): Promise<Answer> {
    const last = call.prompt.at(-1);
    const parts = typeof last?.content === 'object' ? last.content : [];
    if (last?.role === 'tool') return said(parts.map(reported).join('\n'));
    const text = parts.map((part) => part.text ?? '').join(' ');
    const [, name = '', input = ''] = /^\s*([\w-]+)\s*(.*)$/s.exec(text) ?? [];
    if (call.tools?.some((tool) => tool.name === name) === true) {
      const toolCallId = `call_${call.prompt.length}`;
      return {
        content: [{ type: 'tool-call', toolCallId, toolName: name, input }],
        finishReason: { unified: 'tool-calls' },
      };
    }
    const tools = (call.tools ?? []).map((tool) => `${tool.name}: ${tool.description}`);
    return said(['Write the name of a tool and its input as JSON.', ...tools].join('\n'));
  }

  async doStream(call: Call): Promise<{ readonly stream: ReadableStream<{ readonly type: string }> }> {
    const { content, finishReason } = await this.doGenerate(call);
    const stream = new ReadableStream<{ readonly type: string }>({
      start(controller) {
        for (const part of content) for (const piece of streamed(part)) controller.enqueue(piece);
        controller.enqueue({ type: 'finish', finishReason } as { type: string });
        controller.close();
      },
    });
    return { stream };
  }
}

function said(text: string): Answer {
  return { content: [{ type: 'text', text }], finishReason: { unified: 'stop' } };
}

function reported({ output }: Part): string {
  return output?.type === 'execution-denied'
    ? `Denied: ${output.reason}`
    : `Result: ${JSON.stringify(output?.value ?? null)}`;
}

function streamed(
  part: Answer['content'][number],
): readonly ({ readonly type: string } & Record<string, unknown>)[] {
  if (part.type !== 'text') return [part];
  const words = String(part['text']).split(/(?<=\s)/);
  return [
    { type: 'text-start', id: '0' },
    ...words.map((delta) => ({ type: 'text-delta', id: '0', delta })),
    { type: 'text-end', id: '0' },
  ];
}
