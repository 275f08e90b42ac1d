import type { CallSite } from './call-site.js';
import { legacyCapabilities, modernCapabilities } from './capabilities.js';
import { completeArgument } from './complete-argument.js';
import { legacyResult } from './era-results.js';
import { initialize } from './initialize.js';
import { listPrompts, listResources, listResourceTemplates, listTools } from './list-methods.js';
import type { McpServer } from './mcp-server.js';
import { getPrompt } from './prompt-get.js';
import { isLogLevel } from './request-meta.js';
import { acceptSubscription, readResource } from './resource-read.js';
import { invalidParams } from './rpc-error.js';
import { cancelTask, getTask, updateTask } from './tasks/task-methods.js';
import { callTool } from './tool-call.js';
import { SUPPORTED_MODERN } from './versions.js';

/** Answers one request with its serialized result. Throws {@link RpcError}. */
export type Method = (server: McpServer, site: CallSite) => Promise<string> | string;

export type MethodTable = ReadonlyMap<string, Method>;

/** What both eras share; what an endpoint does not have is an unknown method. */
function shared(server: McpServer): [string, Method][] {
  const resources: [string, Method][] = [
    ['resources/list', listResources],
    ['resources/templates/list', listResourceTemplates],
    ['resources/read', readResource],
  ];
  const prompts: [string, Method][] = [
    ['prompts/list', listPrompts],
    ['prompts/get', getPrompt],
  ];
  return [
    ['tools/list', listTools],
    ['tools/call', callTool],
    ...(server.resources.size > 0 ? resources : []),
    ...(server.prompts.size > 0 ? prompts : []),
    ...(server.completions.size > 0
      ? ([['completion/complete', completeArgument]] satisfies [string, Method][])
      : []),
  ];
}

/** The methods of 2026-07-28, `subscriptions/listen` apart. */
export function modernMethods(server: McpServer): MethodTable {
  const { instructions, ttlMs } = server.options;
  const discovered = JSON.stringify({
    supportedVersions: SUPPORTED_MODERN,
    capabilities: modernCapabilities(server),
    ...(instructions === undefined ? {} : { instructions }),
  }).slice(1, -1);
  const discover = server.results.complete({ members: discovered }, { ttlMs });
  const tasks: [string, Method][] = [
    ['tasks/get', getTask],
    ['tasks/update', updateTask],
    ['tasks/cancel', cancelTask],
  ];
  return new Map<string, Method>([
    ['server/discover', () => discover],
    ...shared(server),
    ...(server.hasTasks ? tasks : []),
  ]);
}

/** The methods of 2025-11-25 and earlier. */
export function legacyMethods(server: McpServer): MethodTable {
  const capabilities = legacyCapabilities(server);
  const subscriptions: [string, Method][] = [
    ['resources/subscribe', acceptSubscription],
    ['resources/unsubscribe', acceptSubscription],
  ];
  return new Map<string, Method>([
    ['initialize', (_server, site) => legacyResult({ members: initialize(server, site, capabilities) })],
    ['ping', () => '{}'],
    ['logging/setLevel', setLevel],
    ...shared(server),
    ...(server.resources.size > 0 ? subscriptions : []),
  ]);
}

function setLevel(server: McpServer, site: CallSite): string {
  const { level } = site.call.params;
  if (!isLogLevel(level)) throw invalidParams('params.level is not a log level');
  if (site.sessionId !== undefined) server.logLevels.set(site.sessionId, level);
  return '{}';
}
