import type { Principal } from '../kernel/principal.js';
import type { McpExchange, MessageStream } from './exchange.js';
import { notificationMessage } from './json-rpc.js';
import type { RequestMeta } from './request-meta.js';
import type { RpcCall } from './json-rpc.js';

/** One request on its way through the dispatcher: who asks, what, and how to reach them. */
export class CallSite {
  private stream: MessageStream | undefined;

  constructor(
    readonly era: 'modern' | 'legacy',
    readonly call: RpcCall,
    readonly meta: RequestMeta,
    readonly exchange: McpExchange,
    /** Ends the work: the reader left (stateless era), or it was cancelled (earlier revisions). */
    readonly signal: AbortSignal,
    /** The session of a client of earlier revisions, if it has one. */
    readonly sessionId?: string,
  ) {}

  get principal(): Principal {
    return this.exchange.principal;
  }

  /** True once a message went out on the stream: the HTTP status is decided. */
  get streaming(): boolean {
    return this.stream !== undefined;
  }

  /** Sends a message before the reply, on the stream of this request. */
  send(message: string): void {
    this.stream ??= this.exchange.openStream();
    this.stream.send(message);
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.send(notificationMessage(method, params));
  }

  /** Sends the last message on the stream and ends it. */
  finish(message: string): void {
    this.stream?.send(message);
    this.stream?.end();
  }
}
