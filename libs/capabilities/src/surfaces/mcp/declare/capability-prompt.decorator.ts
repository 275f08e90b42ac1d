import type { CapabilityFields } from '../../../contract/capability-options.js';
import type { SchemaLike } from '../../../kernel/standard-schema.js';
import type { PromptOutput } from '../../../protocol/prompt-get.js';
import { readOnMcp } from './capability-resource.decorator.js';

type Schema = SchemaLike | undefined;

/** Everything `@CapabilityPrompt()` takes. The fields of `inputSchema` are the prompt's arguments, all strings. */
export type CapabilityPromptOptions<I extends Schema = Schema> = Omit<
  CapabilityFields<I, undefined>,
  'outputSchema' | 'args' | 'http' | 'assistant' | 'cli'
>;

/** A method that gives a prompt's messages. */
type PromptMethod = (
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<(...args: never[]) => PromptOutput | Promise<PromptOutput>>,
) => void;

/**
 * Serves a method as an MCP prompt, through the same pipeline as every capability. It only reads, and is exposed
 * on `mcp` unless `expose` says otherwise.
 */
export function CapabilityPrompt<I extends Schema = undefined>(
  options: CapabilityPromptOptions<I>,
): PromptMethod {
  return readOnMcp({ ...options, mcp: { ...options.mcp, prompt: true } }) as unknown as PromptMethod;
}
