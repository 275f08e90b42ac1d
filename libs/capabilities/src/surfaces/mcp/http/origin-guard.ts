import type { IncomingMessage } from 'node:http';
import type { ResolvedMcpOptions } from '../mcp-options.js';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Refuses requests from pages of other sites (DNS rebinding). A request without `Origin` is no browser's and
 * passes. On a loopback address the `Host` must be a loopback name, unless hosts are configured.
 */
export class OriginGuard {
  private readonly origins: ReadonlySet<string>;
  private readonly hosts: ReadonlySet<string>;
  private readonly everyHost: boolean;

  constructor({ allowedOrigins, allowedHosts, authorization }: ResolvedMcpOptions) {
    const resource = authorization === undefined ? undefined : new URL(authorization.resource);
    this.origins = new Set([...allowedOrigins, ...(resource === undefined ? [] : [resource.origin])]);
    this.hosts = new Set([
      ...(allowedHosts ?? []).map((host) => host.toLowerCase()),
      ...(resource === undefined ? [] : [resource.hostname]),
    ]);
    this.everyHost = allowedHosts === undefined;
  }

  /** True when the request may be served. */
  accepts({ headers, socket }: IncomingMessage): boolean {
    return this.acceptsOrigin(headers.origin) && this.acceptsHost(headers.host, socket.localAddress ?? '');
  }

  private acceptsOrigin(origin: string | undefined): boolean {
    if (origin === undefined) return true;
    if (!URL.canParse(origin)) return false;
    const url = new URL(origin);
    if (url.origin !== origin) return false;
    return this.origins.has(origin) || LOOPBACK_NAMES.has(url.hostname);
  }

  private acceptsHost(host: string | undefined, localAddress: string): boolean {
    const onLoopback = LOOPBACK_ADDRESS.test(localAddress);
    if (this.everyHost && !onLoopback) return true;
    const name = hostName(host);
    if (name === undefined) return false;
    return this.hosts.has(name) || (onLoopback && LOOPBACK_NAMES.has(name));
  }
}

/** Name and optional port of a Host field (RFC 9110, section 7.2). */
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::\d*)?$/i;

function hostName(host: string | undefined): string | undefined {
  return host === undefined ? undefined : HOST.exec(host)?.[1]?.toLowerCase();
}
