import type { McpAuthorizationOptions } from '../mcp-options.js';

/** Well-known name of the metadata (RFC 9728, section 3). */
export const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** A scope that is for clients to ask for, never for a resource to demand. */
const OFFLINE = 'offline_access';

/** Path at which the metadata of a resource is found (RFC 9728, section 3.1). */
export function metadataPath(resource: string): string {
  const { pathname } = new URL(resource);
  return pathname === '/' ? WELL_KNOWN : `${WELL_KNOWN}${pathname}`;
}

/** Absolute URL of the metadata, as challenges name it. */
export function metadataUrl(resource: string): string {
  return new URL(metadataPath(resource), resource).href;
}

/** The scopes a client needs to begin. */
export function baselineScopes({ scopesSupported = [] }: McpAuthorizationOptions): readonly string[] {
  return scopesSupported.filter((scope) => scope !== OFFLINE);
}

/** The protected resource metadata document (RFC 9728, section 2). */
export function resourceMetadata(options: McpAuthorizationOptions, name: string): string {
  const scopes = baselineScopes(options);
  return JSON.stringify({
    resource: options.resource,
    authorization_servers: options.authorizationServers,
    bearer_methods_supported: ['header'],
    resource_name: name,
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
  });
}
