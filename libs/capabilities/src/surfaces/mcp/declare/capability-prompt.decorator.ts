import type { CapabilityFields } from '../../../contract/capability-options.js';
import type { SchemaLike } from '../../../kernel/standard-schema.js';
import type { PromptOutput } from '../../../protocol/prompt-get.js';
import { type McpMethodDecorator, type McpMethodInput, readOnMcp } from './mcp-method.js';

type Schema = SchemaLike | undefined;

/** Everything `@CapabilityPrompt()` takes. The fields of `inputSchema` are the prompt's arguments, all strings. */
export type CapabilityPromptOptions<I extends Schema = Schema> = Omit<
  CapabilityFields<I, undefined>,
  'outputSchema' | 'args' | 'http' | 'assistant' | 'cli'
>;

/**
 * Serves a method as an MCP prompt, through the same pipeline as every capability. It only reads, and is exposed
 * on `mcp` unless `expose` says otherwise.
 */
export function CapabilityPrompt<I extends Schema = undefined>(
  options: CapabilityPromptOptions<I>,
): McpMethodDecorator<McpMethodInput<I>, PromptOutput> {
  return readOnMcp({ ...options, mcp: { ...options.mcp, prompt: true } });
}
