import type { JsonRpcResponse } from '../protocol/json-rpc.js';
import type { Capability, CapabilityUser } from './capability.js';
import { type McpCallOptions, type McpHandlerOptions, McpHandlers } from './mcp-handlers.js';

const known = new WeakMap<object, McpHandlers>();

/**
 * Answers one parsed MCP message in either protocol era; null when there is nothing to answer. The route around it
 * is the application's: it authenticates the caller into `user` and parses the body.
 *
 * A malformed message is answered −32600, batches included (MCP has none since 2025-06-18), a refused call as a
 * tool result. A notification runs nothing but `notifications/cancelled`. Lists and handles are kept with
 * `options` and `capabilities`: pass the same objects on every call. Handles are bound to `user.id`; a user without
 * an id has them only as the same object.
 * Throws `CapabilityDefinitionError` for capabilities that are not well formed or share a name, and `TypeError` for
 * a secret of fewer than 32 bytes; nothing that a caller sends makes it throw.
 */
export function handleMcpRpc<User = CapabilityUser, Permission extends string = string>(
  message: unknown,
  user: User,
  capabilities: readonly Capability<User, Permission>[],
  options: McpHandlerOptions<User, Permission>,
  call?: McpCallOptions,
): Promise<JsonRpcResponse | null> {
  const handlers = known.get(options) ?? new McpHandlers(options);
  known.set(options, handlers);
  return handlers.handle(message, user, capabilities, call);
}
