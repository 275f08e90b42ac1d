/** `b64token` of RFC 6750, section 2.1; the scheme's name is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The bearer token of an Authorization header. Tokens in queries or bodies are never looked at. */
export function bearerToken(authorization: unknown): string | undefined {
  return typeof authorization === 'string' ? BEARER.exec(authorization)?.[1] : undefined;
}
