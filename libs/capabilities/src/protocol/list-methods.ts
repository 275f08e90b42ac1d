import type { CallSite } from './call-site.js';
import { legacyResult } from './era-results.js';
import type { ListPage } from './list-pages.js';
import type { McpServer } from './mcp-server.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';

/** A page of one list for what a caller may see. */
type Pager = (
  visible: readonly CapabilityDefinition[],
  era: 'modern' | 'legacy',
  cursor: unknown,
) => ListPage;

/** Serves a list: the caller's visible set decides which remembered page goes out. */
async function list(server: McpServer, site: CallSite, pager: Pager): Promise<string> {
  const visible = await server.visible(site.principal);
  const members = pager(visible, site.era, site.call.params['cursor']);
  if (site.era === 'legacy') return legacyResult({ members });
  return server.results.complete({ members }, { ttlMs: server.options.ttlMs });
}

export const listTools = (server: McpServer, site: CallSite): Promise<string> =>
  list(server, site, (visible, era, cursor) => server.tools.list(visible, era, cursor));

export const listResources = (server: McpServer, site: CallSite): Promise<string> =>
  list(server, site, (visible, _era, cursor) => server.resources.list(visible, cursor));

export const listResourceTemplates = (server: McpServer, site: CallSite): Promise<string> =>
  list(server, site, (visible, _era, cursor) => server.resources.listTemplates(visible, cursor));

export const listPrompts = (server: McpServer, site: CallSite): Promise<string> =>
  list(server, site, (visible, _era, cursor) => server.prompts.list(visible, cursor));
