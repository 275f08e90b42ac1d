import type { CapabilityFields, McpResourceHints } from '../../../contract/capability-options.js';
import type { SchemaLike } from '../../../kernel/standard-schema.js';
import { Capability } from '../../../registry/capability.decorator.js';
import type { ResourceOutput } from '../../../protocol/resource-read.js';

type Schema = SchemaLike | undefined;

/** Everything `@CapabilityResource()` takes: a capability's options, and where the resource is found. */
export type CapabilityResourceOptions<I extends Schema = Schema> = Omit<
  CapabilityFields<I, undefined>,
  'outputSchema' | 'args' | 'http' | 'assistant' | 'cli'
> &
  McpResourceHints;

/** A method that gives a resource's contents; a template's variables are its input. */
type ResourceMethod = (
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<(...args: never[]) => ResourceOutput | Promise<ResourceOutput>>,
) => void;

/**
 * Serves a method as an MCP resource, fixed (`uri`) or templated (`uriTemplate` with an `inputSchema` of its
 * variables), through the same pipeline as every capability. It only reads, and is exposed on `mcp` unless
 * `expose` says otherwise.
 */
export function CapabilityResource<I extends Schema = undefined>(
  options: CapabilityResourceOptions<I>,
): ResourceMethod {
  const { uri, uriTemplate, mimeType, size, subscribe, mcp, ...fields } = options;
  const resource = { uri, uriTemplate, mimeType, size, subscribe };
  return readOnMcp({ ...fields, mcp: { ...mcp, resource } });
}

/** `@Capability.read()` whose default exposure is `mcp`. */
export function readOnMcp(options: object): ResourceMethod {
  return Capability.read({ expose: ['mcp'], ...options } as never) as unknown as ResourceMethod;
}
