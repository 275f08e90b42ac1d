import type { AssistantTool } from './tool-catalogue.js';
import {
  anthropicTool,
  type AnthropicTool,
  geminiTool,
  type GeminiTool,
  mcpTool,
  type McpTool,
  openAiChatTool,
  type OpenAiChatTool,
  openAiResponsesTool,
  type OpenAiResponsesTool,
} from './tool-shapes.js';

/** The declarations of each format. */
export interface ShapedTools {
  readonly 'openai-responses': OpenAiResponsesTool[];
  readonly 'openai-chat': OpenAiChatTool[];
  readonly anthropic: AnthropicTool[];
  readonly gemini: GeminiTool[];
  readonly mcp: McpTool[];
}

export type ToolFormat = keyof ShapedTools;

/** Declarations in a provider's form; `strict` is OpenAI's. */
export function shapedTools(
  tools: readonly AssistantTool[],
  format: ToolFormat,
  strict: boolean,
): ShapedTools[ToolFormat] {
  switch (format) {
    case 'openai-responses':
      return tools.map((tool) => openAiResponsesTool(tool, strict));
    case 'openai-chat':
      return tools.map((tool) => openAiChatTool(tool, strict));
    case 'anthropic':
      return tools.map(anthropicTool);
    case 'gemini':
      return tools.map(geminiTool);
    case 'mcp':
      return tools.map(mcpTool);
  }
}
