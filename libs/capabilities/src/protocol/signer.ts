import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../kernel/hash.js';

/** Shortest secret accepted, in bytes. */
const MIN_SECRET = 32;

/** Throws `TypeError` for a secret of fewer than 32 bytes. */
export function checkSecret(secret: string): void {
  if (Buffer.byteLength(secret) >= MIN_SECRET) return;
  throw new TypeError(`The MCP secret must have at least ${MIN_SECRET} bytes.`);
}

/**
 * Makes values that only this server can have made: HMAC-SHA-256 over a JSON document, bound to a purpose. The
 * payload is readable by its holder; put no secret in it.
 */
export class Signer {
  private readonly key: string | Uint8Array;

  /**
   * Without a secret a random one is drawn: then values do not survive a restart and do not reach another
   * instance. Throws `TypeError` for a secret of fewer than 32 bytes.
   */
  constructor(secret?: string) {
    if (secret !== undefined) checkSecret(secret);
    this.key = secret ?? randomBytes(MIN_SECRET);
  }

  sign(purpose: string, payload: unknown): string {
    const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${body}.${this.mac(purpose, body)}`;
  }

  /** The payload, or undefined when the value was not made here for this purpose. */
  open(purpose: string, value: string): unknown {
    const dot = value.indexOf('.');
    if (dot < 1) return undefined;
    const body = value.slice(0, dot);
    const given = Buffer.from(value.slice(dot + 1));
    const wanted = Buffer.from(this.mac(purpose, body));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  }

  private mac(purpose: string, body: string): string {
    return hmacSha256(this.key, `nest-capabilities/mcp/${purpose}`, body);
  }
}
