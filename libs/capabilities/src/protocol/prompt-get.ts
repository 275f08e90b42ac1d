import { isRecord } from '../kernel/json.js';
import type { CallSite } from './call-site.js';
import { textBlock, type ContentBlock } from './content.js';
import { legacyResult } from './era-results.js';
import type { McpServer } from './mcp-server.js';
import { runPrimitive } from './primitive-call.js';
import { invalidParams } from './rpc-error.js';

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}

/** What a prompt method returns: the text of one user message, messages, or messages with a description. */
export type PromptOutput =
  | string
  | readonly PromptMessage[]
  | { readonly description?: string; readonly messages: readonly PromptMessage[] };

/** `prompts/get`. Throws {@link RpcError} −32602 for an unknown prompt or a missing argument. */
export async function getPrompt(server: McpServer, site: CallSite): Promise<string> {
  const { name, arguments: args = {} } = site.call.params;
  if (typeof name !== 'string') throw invalidParams('params.name must be a string');
  if (!isRecord(args) || !Object.values(args).every((value) => typeof value === 'string')) {
    throw invalidParams('params.arguments must be an object of strings');
  }
  const end = await runPrimitive(server, site, {
    definition: server.prompts.get(name),
    asked: name,
    input: args,
    notFound: invalidParams('Unknown prompt'),
  });
  if (end.kind === 'reply') return end.result;
  const members = JSON.stringify(promptResult(end.output)).slice(1, -1);
  return site.era === 'modern' ? server.results.complete({ members }) : legacyResult({ members });
}

/** Throws `TypeError` for anything that is no prompt: the caller gets a masked fault. */
function promptResult(output: unknown): { description?: unknown; messages: readonly unknown[] } {
  if (typeof output === 'string') return { messages: [{ role: 'user', content: textBlock(output) }] };
  if (Array.isArray(output)) return { messages: output };
  if (isRecord(output) && Array.isArray(output['messages'])) {
    const { description, messages } = output;
    return { ...(description === undefined ? {} : { description }), messages: messages as unknown[] };
  }
  throw new TypeError('A prompt must return a string, messages, or { description?, messages }.');
}
