import { randomBytes, randomUUID } from 'node:crypto';

const BATCH = 256;
const SIZE = 16;
let pool: Buffer = Buffer.alloc(0);
let used = 0;

/**
 * An unguessable 128-bit id in lower-case hexadecimal. Random bytes are drawn in
 * batches, so an id costs a fraction of `randomUUID()`.
 */
export function executionId(): string {
  if (used >= pool.length) {
    pool = randomBytes(BATCH * SIZE);
    used = 0;
  }
  const id = pool.toString('hex', used, used + SIZE);
  used += SIZE;
  return id;
}

/** A random UUIDv4 (RFC 9562): the form of approval ids. */
export function uuid(): string {
  return randomUUID();
}

/** True for a UUIDv4 in canonical lower-case form. */
export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value);
}
