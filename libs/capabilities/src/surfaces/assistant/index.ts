// Serving
export { AssistantSurfaceModule } from './assistant-surface.module.js';
export type { AssistantSurfaceOptions, ConversationStoreProvider } from './assistant-options.js';
export { AssistantService, type CallToolOptions } from './assistant.service.js';

// Tools and calls
export type { AiSdkCallOptions, AiSdkTool, AiSdkToolOutput, AiSdkTools } from './tools/ai-sdk-tools.js';
export type { ShapedTools, ToolFormat } from './tools/tool-formats.js';
export type {
  AnthropicTool,
  GeminiTool,
  McpTool,
  OpenAiChatTool,
  OpenAiResponsesTool,
} from './tools/tool-shapes.js';
export type { SuspendedToolCall, ToolCallResult } from './calls/tool-call-result.js';
export type { ReceivedMessages } from './calls/received-messages.js';
export type { ResumedMessages } from './calls/resume-messages.js';

// Conversations
export type { ConverseOptions, Turn, TurnEvent, WaitingCall } from './conversation/conversation-options.js';
export type { LanguageModelLike, ModelSettings } from './conversation/language-model.js';
export {
  type ConversationRecord,
  ConversationStore,
  type OpenCall,
} from '../../execution/conversation-store.js';
export { MemoryConversationStore } from './conversation/memory-conversation-store.js';

// Limits of providers
export { type Provider, type ProviderRule, PROVIDERS, type ProviderTool } from './providers/provider-rule.js';
export { PROVIDER_RULES, type ProviderProblem, validateTool } from './providers/validate-tool.js';
export type { ProviderReport, ProviderVerdict } from './providers/provider-report.js';
