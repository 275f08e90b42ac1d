export { CapabilityDefinitionError } from '../contract/capability-definition-error.js';
export { CapabilityFailure } from '../contract/capability-failure.js';
export type { DeclarationProblem } from '../contract/declaration-problem.js';
export { CapabilityError, type ErrorDetails, type ErrorIssue } from '../errors/capability-error.js';
export { type ErrorEnvelope, errorEnvelope } from '../errors/error-envelope.js';
export { type ErrorReason, TOOL_ERROR_CODES, type ToolErrorCode } from '../errors/error-table.js';
export {
  RPC_INTERNAL_ERROR,
  RPC_INVALID_PARAMS,
  RPC_INVALID_REQUEST,
  RPC_METHOD_NOT_FOUND,
  RPC_PARSE_ERROR,
} from '../errors/rpc-codes.js';
export {
  isToolError,
  type ToolError,
  toolError,
  type ToolErrorDetail,
  validationToolError,
} from '../errors/tool-error.js';
export { capabilityFailure, type CapabilityFailureOptions } from '../errors/tool-failure.js';
export { FaultLogger } from '../execution/fault-logger.js';
export { SingleUseStore } from '../execution/single-use-store.js';
export { type TaskRecord, type TaskStatus, TaskStore } from '../execution/task-store.js';
export type { JsonRpcId, JsonRpcRequest, JsonRpcResponse } from '../protocol/json-rpc.js';
export type {
  Capability,
  CapabilityAnnotations,
  CapabilityContext,
  CapabilityDefinition,
  CapabilityUser,
} from './capability.js';
export type { CapabilityPolicy } from './capability-policy.js';
export { createCapabilityRegistry, type ExplicitRegistry } from './create-capability-registry.js';
export {
  type CapabilityRuntime,
  type CapabilityRuntimeOptions,
  createCapabilityRuntime,
} from './create-capability-runtime.js';
export { type ContractCapabilityOptions, defineCapability } from './define-capability.js';
export { handleMcpRpc } from './handle-mcp-rpc.js';
export { type CapabilityListEntry, capabilityToListEntry, toJsonSchema } from './list-entry.js';
export type { McpCallOptions, McpHandlerOptions, McpServerInfo } from './mcp-handlers.js';
export { MCP_PROTOCOL_VERSION } from './protocol-version.js';
export { renderCapabilityText } from './render-text.js';
export { RPC_FORBIDDEN, rpcCode } from './rpc-code.js';
export { runCapability } from './run-capability.js';
