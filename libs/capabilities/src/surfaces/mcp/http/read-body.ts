import type { IncomingMessage } from 'node:http';
import { readRequestBody, type RequestBody } from '../../request-body.js';

const bodies = new WeakMap<IncomingMessage, Promise<RequestBody>>();

/** Reads the body once for each request, up to `limit` bytes. Pending for ever when the client leaves. */
export function readBody(request: IncomingMessage, limit: number): Promise<RequestBody> {
  const known = bodies.get(request);
  if (known !== undefined) return known;
  const body = new Promise<RequestBody>((resolve) => readRequestBody(request, limit, resolve));
  bodies.set(request, body);
  return body;
}
