import type { IncomingMessage } from 'node:http';
import { isJsonMediaType } from '../../../media-type.js';

/**
 * True when a browser says that a page of this very origin sent the request. `publicUrl` names the origin;
 * without it the request's `Host` does. A page under `Referrer-Policy: no-referrer` posts `Origin: null`
 * (Fetch, "append a request Origin header"): then `Sec-Fetch-Site` has to say `same-origin`, which no page can set.
 */
export function isSameOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { origin } = headers;
  if (origin === undefined || origin === 'null') return headers['sec-fetch-site'] === 'same-origin';
  if (!URL.canParse(origin)) return false;
  const given = new URL(origin);
  if (publicUrl !== undefined) return given.origin === new URL(publicUrl).origin;
  return headers.host !== undefined && given.host === headers.host.toLowerCase();
}

/** Credentials that a browser adds by itself, like cookies. */
const AMBIENT = /^(?:basic|digest|negotiate|ntlm)\b/i;

/**
 * True for a writing request that a page of another site could have made a browser send with its cookies: no
 * token that the page would have to know, and nothing that would have cost a CORS preflight.
 */
export function isForgeable(request: IncomingMessage, publicUrl: string | undefined): boolean {
  const { method, headers } = request;
  if (method === 'GET' || method === 'HEAD') return false;
  if (headers.authorization !== undefined && !AMBIENT.test(headers.authorization)) return false;
  if (!isForeign(request, publicUrl)) return false;
  return headers['content-type'] === undefined || !isJsonMediaType(headers['content-type']);
}

/** Browsers without `Sec-Fetch-Site` (older ones, and every one over plain HTTP) still name the `Origin`. */
function isForeign(request: IncomingMessage, publicUrl: string | undefined): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site === undefined) return origin !== undefined && !isSameOrigin(request, publicUrl);
  return site !== 'same-origin' && site !== 'none';
}
