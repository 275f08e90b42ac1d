import { isRecord } from '../kernel/json.js';
import type { CallSite } from './call-site.js';
import type { McpServer } from './mcp-server.js';
import { invalidParams } from './rpc-error.js';
import { LATEST_LEGACY, NEGOTIABLE_LEGACY } from './versions.js';

/** The members of an `initialize` result: the version asked for, or the latest of its era. */
export function initialize(
  server: McpServer,
  site: CallSite,
  capabilities: Readonly<Record<string, unknown>>,
): string {
  const { protocolVersion: asked, capabilities: client } = site.call.params;
  if (typeof asked !== 'string') throw invalidParams('params.protocolVersion must be a string');
  if (client !== undefined && !isRecord(client)) throw invalidParams('params.capabilities must be an object');
  const { info, instructions } = server.options;
  const result = {
    protocolVersion: NEGOTIABLE_LEGACY.has(asked) ? asked : LATEST_LEGACY,
    capabilities,
    serverInfo: info,
    ...(instructions === undefined ? {} : { instructions }),
  };
  return JSON.stringify(result).slice(1, -1);
}
