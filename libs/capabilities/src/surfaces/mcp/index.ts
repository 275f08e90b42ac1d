// Serving
export { McpSurfaceModule } from './mcp-surface.module.js';
export type { McpAuthorizationOptions, McpSlice, McpSurfaceOptions } from './mcp-options.js';
export { McpNotifier } from './mcp-notifier.js';
export { ApprovalResumeTool } from './approval-resume-tool.js';
export { serveStdio, type StdioOptions } from './stdio.js';

// Declaring
export {
  CapabilityResource,
  type CapabilityResourceOptions,
} from './declare/capability-resource.decorator.js';
export { CapabilityPrompt, type CapabilityPromptOptions } from './declare/capability-prompt.decorator.js';
export {
  CapabilityCompletion,
  type CapabilityCompletionOptions,
  type CompletionInput,
} from './declare/capability-completion.decorator.js';
export type { ResourceOutput, ResourcePart } from '../../protocol/resource-read.js';
export type { PromptMessage, PromptOutput } from '../../protocol/prompt-get.js';
export {
  audioBlock,
  blobContents,
  imageBlock,
  linkBlock,
  resourceBlock,
  textBlock,
  type ContentBlock,
  type McpContent,
  type ResourceContents,
} from '../../protocol/content.js';
export type {
  ClientChannel,
  ClientFeature,
  ClientRequest,
  ElicitAnswer,
  ElicitForm,
  ElicitUrl,
  RootsAnswer,
  SampleAnswer,
  SampleRequest,
} from '../../contract/client-channel.js';

// Ports
export { type TaskRecord, type TaskStatus, TaskStore } from '../../execution/task-store.js';
export { MemoryTaskStore } from '../../protocol/tasks/memory-task-store.js';
export { SingleUseStore } from '../../execution/single-use-store.js';
export { MemorySingleUseStore } from '../../protocol/memory-single-use-store.js';
export { MCP_PROTOCOL_VERSION } from '../../protocol/versions.js';
