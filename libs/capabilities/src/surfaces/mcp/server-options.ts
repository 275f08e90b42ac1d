import type { McpServerOptions } from '../../protocol/mcp-server.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import type { McpSlice, ResolvedMcpOptions } from './mcp-options.js';

/** The options of an endpoint as the dispatcher takes them. */
export function serverOptions(options: ResolvedMcpOptions): McpServerOptions {
  const {
    info,
    instructions,
    outputSchema,
    pageSize,
    secret,
    answerTimeoutMs,
    taskTtlMs,
    maxStreams,
    approvalForms,
    authorization,
  } = options;
  return {
    info,
    instructions,
    outputSchema,
    pageSize,
    secret,
    answerTimeoutMs,
    taskTtlMs,
    maxStreams,
    approvalForms,
    publicUrl: authorization?.resource,
    endpoint: `/${options.path}`,
    serves: servesSlice(options.expose),
    ttlMs: options.cacheTtlMs,
    stateTtlMs: options.inputTtlMs,
  };
}

/** The filter of a slice: every given list must match. */
export function servesSlice({ tags, names }: McpSlice): (definition: CapabilityDefinition) => boolean {
  return (definition) =>
    (tags === undefined || definition.tags.some((tag) => tags.includes(tag))) &&
    (names === undefined || names.includes(definition.name));
}
