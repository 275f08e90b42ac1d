import { isRecord } from '../kernel/json.js';
import type { HeaderMap } from './exchange.js';
import { trimField } from './header-value.js';
import type { RpcCall } from './json-rpc.js';
import { readModernMeta, type RequestMeta } from './request-meta.js';
import { headerMismatch, invalidParams, invalidRequest, unsupportedVersion } from './rpc-error.js';
import { checkStandardHeaders } from './standard-headers.js';
import { LEGACY_HEADERS, META, SUPPORTED_MODERN } from './versions.js';

/** Which protocol a request speaks. The body decides; the header only cross-checks. */
export type Era = { readonly era: 'modern'; readonly meta: RequestMeta } | { readonly era: 'legacy' };

/** Decides the era of a request and checks its envelope and headers. Throws {@link RpcError}. */
export function decideEra(call: RpcCall, headers: HeaderMap | undefined): Era {
  const meta = isRecord(call.params['_meta']) ? call.params['_meta'] : undefined;
  const claim = meta?.[META.protocolVersion];
  const header = versionHeader(headers);
  if (meta === undefined || claim === undefined) return withoutClaim(call, header);
  if (typeof claim !== 'string') {
    throw invalidParams(`_meta["${META.protocolVersion}"] must be a string`, undefined, 400);
  }
  if (headers !== undefined && header === undefined) {
    throw headerMismatch('The MCP-Protocol-Version header is missing');
  }
  if (headers !== undefined && header !== claim) {
    throw headerMismatch('The MCP-Protocol-Version header differs from the body');
  }
  if (!SUPPORTED_MODERN.includes(claim)) throw unsupportedVersion(claim);
  const parsed = readModernMeta(meta);
  if (headers !== undefined) checkStandardHeaders(call, headers);
  return { era: 'modern', meta: parsed };
}

/** True when the header names a revision of the stateless era. */
export function namesModern(headers: HeaderMap | undefined): boolean {
  const header = versionHeader(headers);
  return header !== undefined && SUPPORTED_MODERN.includes(header);
}

/** Throws {@link RpcError} when the header names a revision that is not served at all. */
export function checkLegacyHeader(headers: HeaderMap | undefined): void {
  const header = versionHeader(headers);
  if (header !== undefined && !LEGACY_HEADERS.has(header)) {
    throw invalidRequest('The MCP-Protocol-Version header names a version that is not supported');
  }
}

function versionHeader(headers: HeaderMap | undefined): string | undefined {
  const header = headers?.['mcp-protocol-version'];
  return header === undefined ? undefined : trimField(header);
}

function withoutClaim(call: RpcCall, header: string | undefined): Era {
  if (header === undefined || LEGACY_HEADERS.has(header)) return { era: 'legacy' };
  if (!SUPPORTED_MODERN.includes(header)) {
    throw invalidRequest('The MCP-Protocol-Version header names a version that is not supported');
  }
  if (call.method === 'initialize') {
    throw headerMismatch('initialize belongs to earlier protocol versions than the header names');
  }
  throw invalidParams(
    `_meta must carry "${META.protocolVersion}" and "${META.clientCapabilities}"`,
    undefined,
    400,
  );
}
