import type { JsonSchema } from '../../../kernel/json.js';
import { isReadOnly } from '../../../registry/capability-definition.js';
import type { AssistantTool } from './tool-catalogue.js';

/** A function tool of the OpenAI Responses API. */
export interface OpenAiResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly strict: boolean;
}

/** A function tool of the OpenAI Chat Completions API. */
export interface OpenAiChatTool {
  readonly type: 'function';
  readonly function: Omit<OpenAiResponsesTool, 'type'>;
}

/** A client tool of the Anthropic Messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

/** A function declaration of the Gemini API. */
export interface GeminiTool {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: JsonSchema;
}

/** A tool as `tools/list` of MCP shows it. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** With `strict`, a tool whose schema has no strict form is sent without. */
export function openAiResponsesTool(tool: AssistantTool, strict: boolean): OpenAiResponsesTool {
  return { type: 'function', ...openAiFunction(tool, strict) };
}

/** Like {@link openAiResponsesTool}, for Chat Completions. */
export function openAiChatTool(tool: AssistantTool, strict: boolean): OpenAiChatTool {
  return { type: 'function', function: openAiFunction(tool, strict) };
}

function openAiFunction(tool: AssistantTool, strict: boolean): Omit<OpenAiResponsesTool, 'type'> {
  const { name, description } = tool;
  const parameters = strict ? tool.strict : undefined;
  return { name, description, parameters: parameters ?? tool.schema, strict: parameters !== undefined };
}

export function anthropicTool({ name, description, schema }: AssistantTool): AnthropicTool {
  return { name, description, input_schema: schema };
}

export function geminiTool({ name, description, gemini }: AssistantTool): GeminiTool {
  return { name, description, parametersJsonSchema: gemini };
}

export function mcpTool({ name, description, schema, definition }: AssistantTool): McpTool {
  const readOnly = isReadOnly(definition);
  return {
    name,
    title: definition.title,
    description,
    inputSchema: schema,
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: definition.annotations.destructive,
      idempotentHint: readOnly || definition.idempotent,
      openWorldHint: definition.sideEffect === 'external',
    },
  };
}
