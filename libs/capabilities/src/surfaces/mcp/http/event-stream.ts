import type { ServerResponse } from 'node:http';
import type { MessageStream } from '../../../protocol/exchange.js';

const KEEP_ALIVE_MS = 15_000;
/** Bytes that may wait for a reader who does not read. */
const MAX_UNREAD = 1_048_576;

const HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies such as nginx would hold events back.
  'x-accel-buffering': 'no',
});

/** JSON-RPC messages as Server-Sent Events: no event ids, nothing to resume; closed after the reply. */
export class EventStream implements MessageStream {
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, HEADERS);
    this.timer = setInterval(() => this.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
    this.timer.unref();
    response.once('close', () => clearInterval(this.timer));
  }

  send(message: string): void {
    this.write(`event: message\ndata: ${message}\n\n`);
  }

  end(): void {
    clearInterval(this.timer);
    if (!this.response.writableEnded) this.response.end();
  }

  private write(text: string): void {
    if (this.response.destroyed || this.response.writableEnded) return;
    if (this.response.writableLength > MAX_UNREAD) this.response.destroy();
    else this.response.write(text);
  }
}
