import type { PresentedOutcome } from '../../present-outcome.js';
import { type AdapterResponse, nodeResponse } from '../http-exchange.js';

/** Headers that something before the handler may have set with better knowledge (a throttler, a challenge). */
const KEPT: ReadonlySet<string> = new Set(['Retry-After', 'WWW-Authenticate']);

/**
 * Sends a reply through the adapter, so that its hooks and the headers set before (CORS, security) apply.
 * The bytes are the same on both adapters. Does nothing when a reply was already sent.
 */
export function sendReply(response: AdapterResponse, { status, headers, body }: PresentedOutcome): void {
  sendBytes(
    response,
    { status, headers },
    body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  );
}

/** Sends bytes like {@link sendReply}. */
export function sendBytes(
  response: AdapterResponse,
  { status, headers }: Pick<PresentedOutcome, 'status' | 'headers'>,
  body: Buffer | undefined,
): void {
  if (nodeResponse(response).headersSent || ('raw' in response && response.sent)) return;
  setReplyHead(response, { status, headers });
  if ('raw' in response) response.send(body);
  else if (body === undefined) response.end();
  else response.setHeader('Content-Length', body.length).end(body);
}

/** Sets status and headers of a reply whose body Nest sends. */
export function setReplyHead(
  response: AdapterResponse,
  { status, headers }: Pick<PresentedOutcome, 'status' | 'headers'>,
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!KEPT.has(name) || response.getHeader(name) === undefined) setHeader(response, name, value);
  }
  if ('raw' in response) response.code(status);
  else response.statusCode = status;
}

function setHeader(response: AdapterResponse, name: string, value: string): void {
  if ('raw' in response) response.header(name, value);
  else response.setHeader(name, value);
}
