import type { McpServer } from './mcp-server.js';
import { TASKS_EXTENSION } from './versions.js';

/** The capabilities of `server/discover`: what the methods of the stateless era honour. */
export function modernCapabilities(server: McpServer): Record<string, unknown> {
  const { resources, prompts, completions } = server;
  return {
    tools: { listChanged: true },
    ...(resources.size === 0
      ? {}
      : { resources: { listChanged: true, ...(resources.subscribable ? { subscribe: true } : {}) } }),
    ...(prompts.size === 0 ? {} : { prompts: { listChanged: true } }),
    ...(completions.size === 0 ? {} : { completions: {} }),
    logging: {},
    ...(server.hasTasks ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
  };
}

/** The capabilities of `initialize`: without a standing stream nothing can announce a change. */
export function legacyCapabilities(server: McpServer): Record<string, unknown> {
  const { resources, prompts, completions } = server;
  return {
    tools: {},
    ...(resources.size === 0 ? {} : { resources: {} }),
    ...(prompts.size === 0 ? {} : { prompts: {} }),
    ...(completions.size === 0 ? {} : { completions: {} }),
    logging: {},
  };
}
