import type { CapabilityFields, McpCompletionHints } from '../../../contract/capability-options.js';
import type { StandardSchema } from '../../../kernel/standard-schema.js';
import { isRecord } from '../../../kernel/json.js';
import { type McpMethodDecorator, readOnMcp } from './mcp-method.js';

/** What a completion method receives. */
export interface CompletionInput {
  /** What was typed so far. */
  readonly value: string;
  /** Arguments that are already filled in. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** Everything `@CapabilityCompletion()` takes: what it completes, and who may ask. */
export type CapabilityCompletionOptions = Pick<
  CapabilityFields,
  'name' | 'title' | 'expose' | 'permission' | 'risk' | 'tags' | 'timeoutMs' | 'limits' | 'policies'
> & { readonly description?: string } & McpCompletionHints;

/**
 * Serves a method as the completion of one argument of a prompt or resource template, through the same pipeline.
 * Whoever may not see the prompt or template gets no completion either.
 */
export function CapabilityCompletion(
  options: CapabilityCompletionOptions,
): McpMethodDecorator<CompletionInput, readonly string[]> {
  const { prompt, uriTemplate, argument, ...fields } = options;
  return readOnMcp({
    description: `Completes the argument ${argument}.`,
    ...fields,
    inputSchema: COMPLETION_INPUT,
    mcp: { completion: { prompt, uriTemplate, argument } },
  });
}

const JSON_SCHEMA = Object.freeze({
  type: 'object',
  properties: {
    value: { type: 'string' },
    arguments: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['value', 'arguments'],
  additionalProperties: false,
});

const COMPLETION_INPUT: StandardSchema<CompletionInput> = {
  '~standard': {
    version: 1,
    vendor: 'nest-capabilities',
    validate: (value) =>
      isCompletionInput(value) ? { value } : { issues: [{ message: 'Expected a value and arguments.' }] },
    jsonSchema: { input: () => ({ ...JSON_SCHEMA }), output: () => ({ ...JSON_SCHEMA }) },
  },
};

function isCompletionInput(value: unknown): value is CompletionInput {
  if (!isRecord(value) || typeof value['value'] !== 'string' || !isRecord(value['arguments'])) return false;
  return Object.values(value['arguments']).every((argument) => typeof argument === 'string');
}
