import type { IncomingMessage } from 'node:http';

/**
 * The body of a request: only its size and encoding were looked at. An oversize or content-encoded body is
 * marked here and answered when its turn comes. `taken` means that something else read the body first.
 */
export type RequestBody =
  { readonly kind: 'bytes'; readonly bytes: Buffer } | { readonly kind: 'oversize' | 'encoded' | 'taken' };

/**
 * Reads the body up to `limit` bytes; what is beyond is discarded, so that the reply can be sent. `done` is
 * never called when the client leaves before.
 */
export function readRequestBody(
  request: IncomingMessage,
  limit: number,
  done: (body: RequestBody) => void,
): void {
  const discard = (kind: 'oversize' | 'encoded'): void => {
    request.resume();
    done({ kind });
  };
  if (request.readableEnded || request.readableDidRead) return done({ kind: 'taken' });
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
    done({ kind: 'bytes', bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size) });
  };
  const stop = (): void => void request.off('data', onData).off('end', onEnd).off('error', stop);
  request.on('data', onData).on('end', onEnd).on('error', stop);
}
