import { Agent, request as start } from 'node:http';
import type { PlainReply } from './answer.js';

/** Many connections at once, kept open: a race must not wait for sockets. */
const shared = new Agent({ keepAlive: true, maxSockets: 1_000 });
const LIMIT_MS = 30_000;

export interface HttpRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Default: the shared one, which keeps connections open. */
  readonly agent?: Agent;
}

/** One request; headers go out exactly as given. Rejects when the connection breaks. */
export function send(
  url: string,
  { method, headers = {}, body, agent = shared }: HttpRequest,
): Promise<PlainReply> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, agent, headers: { ...headers, ...length }, timeout: LIMIT_MS };
    const request = start(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(pairs), text });
      });
    });
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error(`No answer within ${LIMIT_MS} ms.`)));
    request.end(body);
  });
}

/** Closes idle connections, so that a process with nothing left to do can end. */
export const hangUp = (): void => shared.destroy();
