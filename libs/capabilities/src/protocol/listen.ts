import { RPC_INTERNAL_ERROR } from '../errors/rpc-codes.js';
import { isRecord } from '../kernel/json.js';
import type { CallSite } from './call-site.js';
import { resultMessage, type RequestId } from './json-rpc.js';
import type { ListenFilter, Listener } from './listen-hub.js';
import type { McpServer } from './mcp-server.js';
import { ownerKey } from './owner-key.js';
import { invalidParams, RpcError } from './rpc-error.js';
import { declaresTasks, tasksMissing } from './tasks/tasks-extension.js';
import { META } from './versions.js';

/** Most addresses or tasks in one subscription. */
const MAX_ITEMS = 1000;

/**
 * `subscriptions/listen`: acknowledges what is honoured, then sends what was asked for until the reader leaves or
 * the server stops. Resolves when the stream has ended.
 */
export async function listen(server: McpServer, site: CallSite, id: RequestId): Promise<void> {
  const asked = site.call.params['notifications'];
  if (!isRecord(asked)) throw invalidParams('params.notifications must be an object');
  const filter = await honoured(server, site, asked);
  const tag = { [META.subscriptionId]: id };
  if (site.signal.aborted) return;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const listener: Listener = {
    owner: ownerKey(site.principal),
    id,
    filter,
    mayRead: (uri) => mayRead(server, site, uri),
    notify: (method, params) => site.notify(method, { ...params, _meta: tag }),
    close: () => {
      site.finish(
        resultMessage(id, server.results.complete({ members: '', meta: JSON.stringify(tag).slice(1, -1) })),
      );
      end();
    },
  };
  if (!server.hub.add(listener))
    throw new RpcError(RPC_INTERNAL_ERROR, 'Too many subscription streams are open');
  site.signal.addEventListener('abort', end, { once: true });
  listener.notify('notifications/subscriptions/acknowledged', { notifications: filter });
  await ended;
  server.hub.remove(listener);
}

async function honoured(
  server: McpServer,
  site: CallSite,
  asked: Readonly<Record<string, unknown>>,
): Promise<ListenFilter> {
  const taskIds = await ownTasks(server, site, asked['taskIds']);
  const uris = await readable(server, site, asked['resourceSubscriptions']);
  return {
    ...(asked['toolsListChanged'] === true ? { toolsListChanged: true } : {}),
    ...(asked['promptsListChanged'] === true && server.prompts.size > 0 ? { promptsListChanged: true } : {}),
    ...(asked['resourcesListChanged'] === true && server.resources.size > 0
      ? { resourcesListChanged: true }
      : {}),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    ...(taskIds.length > 0 ? { taskIds } : {}),
  };
}

async function readable(server: McpServer, site: CallSite, value: unknown): Promise<readonly string[]> {
  const uris = strings(value, 'resourceSubscriptions');
  const allowed = await Promise.all(uris.map((uri) => mayRead(server, site, uri)));
  return uris.filter((_, index) => allowed[index]);
}

async function mayRead(server: McpServer, site: CallSite, uri: string): Promise<boolean> {
  const definition = server.resources.find(uri)?.definition;
  if (definition?.mcp.resource?.subscribe !== true) return false;
  return server.sees(site.principal, definition);
}

/** Throws {@link RpcError} −32021 when tasks are asked for without their extension. */
async function ownTasks(server: McpServer, site: CallSite, value: unknown): Promise<readonly string[]> {
  const ids = strings(value, 'taskIds');
  if (ids.length === 0) return ids;
  if (!declaresTasks(site)) throw tasksMissing();
  const { tasks } = server.ports;
  const owner = ownerKey(site.principal);
  const found = await Promise.all(ids.map(async (taskId) => tasks.find(owner, taskId)));
  return ids.filter((_, index) => found[index] !== undefined);
}

function strings(value: unknown, member: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_ITEMS || !value.every((item) => typeof item === 'string')) {
    throw invalidParams(`params.notifications.${member} must be an array of at most ${MAX_ITEMS} strings`);
  }
  return [...new Set<string>(value)];
}
