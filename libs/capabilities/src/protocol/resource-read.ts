import { isRecord } from '../kernel/json.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import type { CallSite } from './call-site.js';
import { legacyResult } from './era-results.js';
import type { McpServer } from './mcp-server.js';
import { runPrimitive } from './primitive-call.js';
import { invalidParams } from './rpc-error.js';

/** What a resource method returns: text, one content, or several. `uri` and `mimeType` are filled in. */
export type ResourceOutput = string | ResourcePart | readonly ResourcePart[];

export type ResourcePart = { readonly uri?: string; readonly mimeType?: string } & (
  { readonly text: string } | { readonly blob: string }
);

/** `resources/read`. Throws {@link RpcError} −32602 with the URI for an unknown one. */
export async function readResource(server: McpServer, site: CallSite): Promise<string> {
  const { uri } = site.call.params;
  if (typeof uri !== 'string') throw invalidParams('params.uri must be a string');
  const found = server.resources.find(uri);
  const notFound = invalidParams('Resource not found', { uri });
  const end = await runPrimitive(server, site, {
    definition: found?.definition,
    asked: uri,
    input: found?.variables ?? {},
    notFound,
  });
  if (end.kind === 'reply') return end.result;
  const contents = contentsOf(found?.definition, uri, end.output);
  if (contents.length === 0) throw notFound;
  const members = `"contents":${JSON.stringify(contents)}`;
  if (site.era === 'legacy') return legacyResult({ members });
  return server.results.complete({ members }, { ttlMs: server.options.ttlMs });
}

function contentsOf(
  definition: CapabilityDefinition | undefined,
  uri: string,
  output: unknown,
): readonly unknown[] {
  const mimeType = definition?.mcp.resource?.mimeType;
  const base = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output];
  return parts.map((part) => {
    if (typeof part === 'string') return { ...base, text: part };
    if (isRecord(part) && (typeof part['text'] === 'string' || typeof part['blob'] === 'string'))
      return { ...base, ...part };
    return { ...base, mimeType: 'application/json', text: JSON.stringify(part ?? null) };
  });
}

/** `resources/subscribe` and `resources/unsubscribe` of earlier revisions: accepted, and never delivered. */
export async function acceptSubscription(server: McpServer, site: CallSite): Promise<string> {
  const { uri } = site.call.params;
  const definition = typeof uri === 'string' ? server.resources.find(uri)?.definition : undefined;
  if (definition === undefined || !(await server.sees(site.principal, definition))) {
    throw invalidParams('Resource not found', { uri });
  }
  return '{}';
}
