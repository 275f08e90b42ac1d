import type { IncomingMessage } from 'node:http';
import { readRequestBody, type RequestBody } from '../../request-body.js';

/** What was read of a request's body, with the type it had then. */
export type CapturedBody =
  | (Extract<RequestBody, { kind: 'bytes' }> & { readonly contentType: string | undefined })
  | Exclude<RequestBody, { kind: 'bytes' }>;

const bodies = new WeakMap<IncomingMessage, CapturedBody>();
const EMPTY = Buffer.alloc(0);

/** The body of a request of a capability route. */
export function capturedBody(request: IncomingMessage): CapturedBody {
  return bodies.get(request) ?? withoutCapture(request);
}

function withoutCapture(request: IncomingMessage): CapturedBody {
  return announcesBody(request)
    ? { kind: 'taken' }
    : { kind: 'bytes', bytes: EMPTY, contentType: request.headers['content-type'] };
}

/** True when a message has a body (RFC 9112, section 6.3). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/** Reads the body up to `limit` bytes and remembers it; `done` is called once it is known. */
export function captureBody(request: IncomingMessage, limit: number, done: () => void): void {
  const contentType = request.headers['content-type'];
  readRequestBody(request, limit, (body) => {
    bodies.set(request, body.kind === 'bytes' ? { ...body, contentType } : body);
    done();
  });
}
