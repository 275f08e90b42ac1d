import type { IncomingMessage } from 'node:http';

/**
 * What was read of a request's body. Only the size was looked at: an oversize or content-encoded body
 * is marked here and answered after authentication and access. `taken` means that something else read
 * the body first.
 */
export type CapturedBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly contentType: string | undefined }
  | { readonly kind: 'oversize' | 'encoded' | 'taken' };

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

/**
 * Reads the body up to `limit` bytes and remembers it; `done` is called once it is known, and never when
 * the client leaves before. What is beyond the limit is discarded, so that the reply can be sent.
 */
export function captureBody(request: IncomingMessage, limit: number, done: () => void): void {
  const finish = (body: CapturedBody): void => {
    bodies.set(request, body);
    done();
  };
  const discard = (kind: 'oversize' | 'encoded'): void => {
    request.resume();
    finish({ kind });
  };
  if (request.readableEnded || request.readableDidRead) return finish({ kind: 'taken' });
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== 'identity') return discard('encoded');
  if (Number(request.headers['content-length']) > limit) return discard('oversize');
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= limit) return void chunks.push(chunk);
    stop();
    discard('oversize');
  };
  const onEnd = (): void => {
    stop();
    finish({
      kind: 'bytes',
      bytes: Buffer.concat(chunks, size),
      contentType: request.headers['content-type'],
    });
  };
  const stop = (): void => void request.off('data', onData).off('end', onEnd).off('error', stop);
  request.on('data', onData).on('end', onEnd).on('error', stop);
}
