import { parseStrictJson } from '../../../kernel/strict-json.js';
import type { Json } from '../../../kernel/json.js';
import { executionId } from '../../../kernel/ids.js';
import type { ModelFinish, ModelPart } from './language-model.js';
import type { PromptPart } from './prompt.js';

/** A call that a model made and the application answers. */
export interface ModelToolCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly input: Json;
  /** True where the model's arguments were no JSON: it is told so, and nothing runs. */
  readonly unreadable: boolean;
}

/** What one model call came to, as it is kept. */
export interface ModelAnswer {
  readonly content: readonly PromptPart[];
  readonly calls: readonly ModelToolCall[];
  readonly text: string;
  /** False when the answer was cut off: its calls may be incomplete and are not run. */
  readonly complete: boolean;
}

/** Collects the parts of one answer, streamed or not, in order. */
export class AnswerBuilder {
  private readonly parts: PromptPart[] = [];
  private readonly calls: ModelToolCall[] = [];
  /** Streamed blocks by id: where they stand in `parts`. */
  private readonly blocks = new Map<string, number>();
  private finish = 'other';

  /** Takes a part; returns the text that it adds, for whoever reads along. */
  add(part: ModelPart): { readonly kind: 'text' | 'reasoning'; readonly delta: string } | undefined {
    const { type, ...members } = part as ModelPart & Record<string, unknown>;
    switch (type) {
      case 'text':
      case 'reasoning':
        this.open(type, undefined, members);
        return { kind: type, delta: String(members['text']) };
      case 'text-start':
      case 'reasoning-start':
        this.open(type === 'text-start' ? 'text' : 'reasoning', members['id'], members);
        return undefined;
      case 'text-delta':
      case 'reasoning-delta':
        return this.extend(type === 'text-delta' ? 'text' : 'reasoning', members);
      case 'text-end':
      case 'reasoning-end':
        this.extend(type === 'text-end' ? 'text' : 'reasoning', members);
        return undefined;
      case 'tool-call':
        this.call(members);
        return undefined;
      case 'tool-result':
        this.result(members);
        return undefined;
      case 'finish':
        this.end(members['finishReason'] as ModelFinish);
        return undefined;
      case 'error':
        throw members['error'];
      default:
        return undefined;
    }
  }

  end(reason: ModelFinish): void {
    this.finish = reason.unified;
  }

  answer(): ModelAnswer {
    const text = this.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    const complete = this.finish === 'stop' || this.finish === 'tool-calls';
    return { content: this.parts.filter((part) => !isEmpty(part)), calls: this.calls, text, complete };
  }

  private open(type: 'text' | 'reasoning', id: unknown, members: Record<string, unknown>): void {
    if (id !== undefined) this.blocks.set(blockKey(type, id), this.parts.length);
    this.parts.push({
      type,
      text: typeof members['text'] === 'string' ? members['text'] : '',
      ...options(members),
    });
  }

  /** Metadata of a later chunk stands for the block: signatures of reasoning come at its end. */
  private extend(type: 'text' | 'reasoning', members: Record<string, unknown>) {
    const index = this.blocks.get(blockKey(type, members['id']));
    const block = index === undefined ? undefined : this.parts[index];
    if (index === undefined || block === undefined || block.type !== type) return undefined;
    const delta = typeof members['delta'] === 'string' ? members['delta'] : '';
    this.parts[index] = { ...block, text: block.text + delta, ...options(members) };
    return delta === '' ? undefined : { kind: type, delta };
  }

  private call(members: Record<string, unknown>): void {
    const { toolName, input, providerExecuted } = members;
    const name = String(toolName);
    const toolCallId = this.uniqueId(members['toolCallId']);
    const parsed = readInput(input);
    const shared = {
      type: 'tool-call' as const,
      toolCallId,
      toolName: name,
      input: parsed ?? {},
      ...options(members),
    };
    if (providerExecuted === true) {
      this.parts.push({ ...shared, providerExecuted: true });
      return;
    }
    this.parts.push(shared);
    this.calls.push({ toolCallId, name, input: parsed ?? {}, unreadable: parsed === undefined });
  }

  /** What a provider ran itself stays with its call. */
  private result(members: Record<string, unknown>): void {
    const output = {
      type: members['isError'] === true ? 'error-json' : 'json',
      value: toJson(members['result']),
    };
    const { toolCallId, toolName } = members;
    this.parts.push({
      type: 'tool-result',
      toolCallId: String(toolCallId),
      toolName: String(toolName),
      output,
      ...options(members),
    });
  }

  /** Some models number their calls anew in each answer, or not at all: one id must name one call. */
  private uniqueId(id: unknown): string {
    const taken = this.parts.some((part) => part.type === 'tool-call' && part.toolCallId === id);
    return typeof id === 'string' && id !== '' && !taken ? id : `call_${executionId()}`;
  }
}

const blockKey = (type: 'text' | 'reasoning', id: unknown): string => JSON.stringify([type, id]);

/** A model's arguments: JSON text, or a value in some providers. Undefined when it is no JSON. */
function readInput(input: unknown): Json | undefined {
  if (typeof input !== 'string') return toJson(input ?? {});
  if (input.trim() === '') return {};
  try {
    return parseStrictJson(new TextEncoder().encode(input)) as Json;
  } catch {
    return undefined;
  }
}

const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json;

function options({ providerMetadata }: Record<string, unknown>): { readonly providerOptions?: Json } {
  return providerMetadata === undefined ? {} : { providerOptions: toJson(providerMetadata) };
}

function isEmpty(part: PromptPart): boolean {
  return part.type === 'text' && part.text === '';
}
