import type { CapabilityFields, McpResourceHints } from '../../../contract/capability-options.js';
import type { SchemaLike } from '../../../kernel/standard-schema.js';
import type { ResourceOutput } from '../../../protocol/resource-read.js';
import { type McpMethodDecorator, type McpMethodInput, readOnMcp } from './mcp-method.js';

type Schema = SchemaLike | undefined;

/** Everything `@CapabilityResource()` takes: a capability's options, and where the resource is found. */
export type CapabilityResourceOptions<I extends Schema = Schema> = Omit<
  CapabilityFields<I, undefined>,
  'outputSchema' | 'args' | 'http' | 'assistant' | 'cli'
> &
  McpResourceHints;

/**
 * Serves a method as an MCP resource, fixed (`uri`) or templated (`uriTemplate` with an `inputSchema` of its
 * variables), through the same pipeline as every capability. It only reads, and is exposed on `mcp` unless
 * `expose` says otherwise.
 */
export function CapabilityResource<I extends Schema = undefined>(
  options: CapabilityResourceOptions<I>,
): McpMethodDecorator<McpMethodInput<I>, ResourceOutput> {
  const { uri, uriTemplate, mimeType, size, subscribe, mcp, ...fields } = options;
  const resource = { uri, uriTemplate, mimeType, size, subscribe };
  return readOnMcp({ ...fields, mcp: { ...mcp, resource } });
}
