import type { IncomingMessage } from 'node:http';

/** The body of a request: only its size and encoding were looked at. */
export type RequestBody =
  { readonly kind: 'bytes'; readonly bytes: Buffer } | { readonly kind: 'oversize' | 'encoded' | 'taken' };

const bodies = new WeakMap<IncomingMessage, Promise<RequestBody>>();

/**
 * Reads the body up to `limit` bytes, once for each request; what is beyond the limit is discarded, so that the
 * reply can be sent. `taken` means that something else read it first. Pending for ever when the client leaves.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<RequestBody> {
  const known = bodies.get(request);
  if (known !== undefined) return known;
  const body = new Promise<RequestBody>((resolve) => read(request, limit, resolve));
  bodies.set(request, body);
  return body;
}

function read(request: IncomingMessage, limit: number, done: (body: RequestBody) => void): void {
  const discard = (kind: 'oversize' | 'encoded'): void => {
    request.resume();
    done({ kind });
  };
  if (request.readableDidRead) return done({ kind: 'taken' });
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== 'identity') return discard('encoded');
  if (Number(request.headers['content-length']) > limit) return discard('oversize');
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= limit) return void chunks.push(chunk);
    request.off('data', onData).off('end', onEnd);
    discard('oversize');
  };
  const onEnd = (): void =>
    done({ kind: 'bytes', bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size) });
  request
    .on('data', onData)
    .on('end', onEnd)
    .on('error', () => undefined);
}

/** `application/json`, with UTF-8 as its only charset. */
export function isJsonType(contentType: string | undefined): boolean {
  return (
    contentType !== undefined &&
    /^\s*application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?;?\s*$/i.test(contentType)
  );
}
