/** True for `segment(/segment)*` of literal characters (RFC 3986 `unreserved`): no parameters, no wildcards. */
export function isLiteralPath(path: string): boolean {
  return /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/.test(path);
}

/** A path without the slashes around it. */
export function trimSlashes(path: unknown): string {
  return String(path).replaceAll(/^\/+|\/+$/g, '');
}
