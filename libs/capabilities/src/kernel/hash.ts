import { createHash, createHmac } from 'node:crypto';

/**
 * SHA-256 of `text` in lower-case hexadecimal, bound to a purpose: the same text under two domains
 * has unrelated hashes. The domain is length-prefixed, so no pair of inputs can be shifted into another.
 */
export function sha256(domain: string, text: string): string {
  return createHash('sha256').update(prefix(domain)).update(text, 'utf8').digest('hex');
}

/** HMAC-SHA-256 (RFC 2104) of `text` in lower-case hexadecimal, bound to a purpose like `sha256`. */
export function hmacSha256(key: string | Uint8Array, domain: string, text: string): string {
  return createHmac('sha256', key).update(prefix(domain)).update(text, 'utf8').digest('hex');
}

function prefix(domain: string): string {
  return `${Buffer.byteLength(domain, 'utf8')}:${domain}\0`;
}
