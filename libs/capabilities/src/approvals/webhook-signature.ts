import { createHmac, timingSafeEqual } from 'node:crypto';

/** The headers of a signed webhook (the Standard Webhooks scheme, `v1`). */
export type WebhookHeaders = {
  readonly 'webhook-id': string;
  /** Seconds since the epoch. */
  readonly 'webhook-timestamp': string;
  /** `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`; several are separated by a space. */
  readonly 'webhook-signature': string;
};

/** Signs one delivery. */
export function signWebhook(
  secret: string | Uint8Array,
  id: string,
  seconds: number,
  body: string,
): WebhookHeaders {
  const timestamp = String(seconds);
  const signature = `v1,${mac(secret, id, timestamp, body)}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/** What a receiver checks a delivery against. */
export interface WebhookCheck {
  readonly secret: string | Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How old or early a delivery may be, in seconds. Default 300. */
  readonly toleranceSeconds?: number;
}

/**
 * True when the body was signed with the secret, within the time window. Takes the headers as Node names them;
 * deduplicate by `webhook-id`.
 */
export function verifyWebhook(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string,
  check: WebhookCheck,
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const age = Math.abs(check.now / 1000 - Number(timestamp));
  if (age > (check.toleranceSeconds ?? 300)) return false;
  const expected = Buffer.from(`v1,${mac(check.secret, id, timestamp, body)}`);
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const mac = (secret: string | Uint8Array, id: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
