const REDACTED = '[redacted]';
const MAX_SCRUBBED = 65_536;

/** A quoted value, a bracketed list, or a bare run; escapes inside quotes are honoured. */
const QUOTED = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'`;
const HEADER = `(?:proxy-)?authorization|(?:set-)?cookie2?`;
const SECRET_KEY =
  'password|passwd|passphrase|pwd|secret|api[-_]?key|access[-_]?key|private[-_]?key|token|credentials?|session[-_]?id|signature|sig';

/**
 * What is replaced, in order. Every pattern starts at a literal and has bounded or non-overlapping
 * quantifiers, so that hostile text cannot make it slow.
 */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?/g, REDACTED],
  // Header as `name: value`, `"name": "value"`, `name: [ … ]`; a bare value ends with its line.
  [
    new RegExp(`\\b(${HEADER})(\\\\?["']?\\s*[:=]\\s*)(?:${QUOTED}|\\[[^\\]]*\\]|[^\\r\\n]+)`, 'gi'),
    `$1$2${REDACTED}`,
  ],
  // Header as two neighbours of a list, as in Node's rawHeaders.
  [new RegExp(`(["'](?:${HEADER})["']\\s*,\\s*)(?:${QUOTED})`, 'gi'), `$1${REDACTED}`],
  // User-info of a URL (RFC 3986, section 3.2.1), also where its password holds unescaped slashes.
  [/:\/\/[^\s/?#@"'<>]{1,1024}@/g, `://${REDACTED}@`],
  [/:\/\/[^\s/:@"'<>]{0,256}:(?!\d+(?:[/\s]|$))[^\s@"'<>]{1,1024}@/g, `://${REDACTED}@`],
  [
    new RegExp(`(${SECRET_KEY})(\\\\?["']?\\s*[:=]\\s*)(?:${QUOTED}|[^\\s,;&"'{}()[\\]]+)`, 'gi'),
    `$1$2${REDACTED}`,
  ],
  [/\b(bearer|basic|dpop)\s+[A-Za-z0-9._~+/-]{6,}=*/gi, `$1 ${REDACTED}`],
  // JSON Web Token or encryption (RFC 7519): base64url of `{"`, then dotted parts.
  [/\beyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){1,4}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-|AIza|[spr]k[-_])[A-Za-z0-9_-]{16,}/g, REDACTED],
];

/**
 * Removes URL user-info, authorization and cookie values, bearer and JWT-looking tokens, private keys and
 * values of secret-looking keys from text that is about to be logged. Text above 64 Ki characters is cut first,
 * at a space, so that no half of a secret is left to look harmless.
 */
export function scrub(text: string): string {
  let clean = text.length > MAX_SCRUBBED ? cutAtSpace(text) : text;
  for (const [pattern, replacement] of RULES) clean = clean.replace(pattern, replacement);
  return clean;
}

function cutAtSpace(text: string): string {
  const head = text.slice(0, MAX_SCRUBBED);
  const end = head.search(/\s\S*$/);
  return end === -1 ? REDACTED : `${head.slice(0, end)} …`;
}
