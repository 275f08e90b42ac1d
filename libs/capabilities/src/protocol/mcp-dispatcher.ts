import { RPC_INTERNAL_ERROR, RPC_INVALID_REQUEST } from '../errors/rpc-codes.js';
import { CallSite } from './call-site.js';
import { checkLegacyHeader, decideEra, namesModern } from './era.js';
import { messageReply, type McpExchange, type McpReply } from './exchange.js';
import { InFlight } from './in-flight.js';
import {
  errorMessage,
  isRequestId,
  resultMessage,
  type RequestId,
  type RpcAnswer,
  type RpcCall,
} from './json-rpc.js';
import type { LegacyPeer } from './legacy-peer.js';
import { LegacySessions, SESSION_HEADER } from './legacy-sessions.js';
import { listen } from './listen.js';
import { McpServer, type McpServerOptions, type McpServerPorts } from './mcp-server.js';
import { legacyMethods, modernMethods, type MethodTable } from './method-table.js';
import { ownerKey } from './owner-key.js';
import { parseBody, readableId, readMessage } from './read-message.js';
import { readLegacyMeta, type RequestMeta } from './request-meta.js';
import { methodNotFound, RpcError } from './rpc-error.js';

type RequestCall = RpcCall & { readonly id: RequestId };

/**
 * Serves one MCP endpoint in both protocol eras, without HTTP and without Nest. Everything that can be worked
 * out is worked out in the constructor; a request reads from memory and runs the pipeline.
 */
export class McpDispatcher {
  readonly server: McpServer;
  private readonly modern: MethodTable;
  private readonly legacy: MethodTable;
  private readonly sessions: LegacySessions;
  private readonly inFlight = new InFlight();

  /** Throws `TypeError` for an MCP declaration that cannot be served, and for a short secret. */
  constructor(
    options: McpServerOptions,
    private readonly ports: McpServerPorts,
  ) {
    this.server = new McpServer(options, ports);
    this.modern = modernMethods(this.server);
    this.legacy = legacyMethods(this.server);
    this.sessions = new LegacySessions(this.server.signer, ports.clock, options.endpoint);
  }

  /** Answers the bytes of one request. Never rejects. */
  async handle(bytes: Uint8Array, exchange: McpExchange): Promise<McpReply> {
    try {
      return await this.dispatch(parseBody(bytes), exchange);
    } catch (error) {
      return errorReply(undefined, this.known(error));
    }
  }

  /** Answers one parsed message. Never rejects. */
  async dispatch(value: unknown, exchange: McpExchange): Promise<McpReply> {
    try {
      const message = readMessage(value);
      if (message.kind === 'answer') return this.receive(message.answer, exchange);
      const { id } = message.call;
      return await (id === undefined
        ? this.notified(message.call, exchange)
        : this.request({ ...message.call, id }, exchange));
    } catch (error) {
      return errorReply(readableId(value), this.known(error));
    }
  }

  /** Ends open listen streams in order; for shutdown. */
  close(): void {
    this.server.hub.close();
  }

  private request(call: RequestCall, exchange: McpExchange): Promise<McpReply> {
    const era = decideEra(call, exchange.headers);
    return era.era === 'modern'
      ? this.serveModern(call, era.meta, exchange)
      : this.serveLegacy(call, exchange);
  }

  private async serveModern(call: RequestCall, meta: RequestMeta, exchange: McpExchange): Promise<McpReply> {
    if (exchange.headers !== undefined)
      return this.runModern(new CallSite('modern', call, meta, exchange, exchange.signal));
    const connection = ownerKey(exchange.principal);
    const controller = this.inFlight.start(connection, call.id);
    const signal = AbortSignal.any([exchange.signal, controller.signal]);
    try {
      return await this.runModern(new CallSite('modern', call, meta, exchange, signal));
    } finally {
      this.inFlight.end(connection, call.id, controller);
    }
  }

  private async runModern(site: CallSite): Promise<McpReply> {
    const id = site.call.id as RequestId;
    if (site.call.method !== 'subscriptions/listen') return this.run(this.modern, site);
    try {
      await listen(this.server, site, id);
      return { kind: 'streamed' };
    } catch (error) {
      return finish(site, errorMessage(id, this.known(error)), this.known(error));
    }
  }

  /** A disconnect is no cancellation here; `notifications/cancelled` is. */
  private async serveLegacy(call: RequestCall, exchange: McpExchange): Promise<McpReply> {
    const opening = call.method === 'initialize';
    const peer = opening ? undefined : this.peerOf(exchange);
    const capabilities = {
      clientCapabilities: peer?.clientCapabilities ?? {},
      logLevel: this.server.logLevels.get(peer?.sessionId),
    };
    const meta = readLegacyMeta(call.params['_meta'], capabilities);
    const scope = scopeOf(exchange, peer);
    const controller = this.inFlight.start(scope, call.id);
    try {
      // The end of a pipe, or whoever calls in this process, ends the work; the end of an HTTP request does not.
      const signal =
        exchange.headers === undefined
          ? AbortSignal.any([controller.signal, exchange.signal])
          : controller.signal;
      const site = new CallSite('legacy', call, meta, exchange, signal, peer?.sessionId);
      const reply = await this.run(this.legacy, site);
      return opening && exchange.headers !== undefined ? this.withSession(reply, call, exchange) : reply;
    } finally {
      this.inFlight.end(scope, call.id, controller);
    }
  }

  private withSession(reply: McpReply, call: RequestCall, exchange: McpExchange): McpReply {
    if (reply.kind !== 'message') return reply;
    const token = this.sessions.issue(exchange.principal, call.params['capabilities']);
    return { ...reply, headers: { ...reply.headers, [SESSION_HEADER]: token } };
  }

  private peerOf(exchange: McpExchange): LegacyPeer | undefined {
    return exchange.peer ?? this.sessions.open(exchange.principal, exchange.headers);
  }

  private async run(table: MethodTable, site: CallSite): Promise<McpReply> {
    const id = site.call.id as RequestId;
    try {
      const method = table.get(site.call.method);
      if (method === undefined) throw site.era === 'modern' ? methodNotFound() : legacyMethodNotFound();
      return finish(site, resultMessage(id, await method(this.server, site)));
    } catch (error) {
      const known = this.known(error);
      return finish(site, errorMessage(id, known), known);
    }
  }

  private notified(call: RpcCall, exchange: McpExchange): McpReply {
    const { requestId } = call.params;
    if (!namesModern(exchange.headers)) checkLegacyHeader(exchange.headers);
    if (call.method === 'notifications/cancelled' && isRequestId(requestId)) {
      if (exchange.headers === undefined) this.inFlight.cancel(ownerKey(exchange.principal), requestId);
      if (!namesModern(exchange.headers))
        this.inFlight.cancel(scopeOf(exchange, this.peerOf(exchange)), requestId);
    }
    return { kind: 'accepted' };
  }

  private receive(answer: RpcAnswer, exchange: McpExchange): McpReply {
    checkLegacyHeader(exchange.headers);
    this.peerOf(exchange);
    if (this.server.pending.receive(ownerKey(exchange.principal), answer)) return { kind: 'accepted' };
    throw new RpcError(RPC_INVALID_REQUEST, 'No request with this id waits for an answer', undefined, 400);
  }

  /** Everything that is not meant for the caller is masked and reported once. */
  private known(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.ports.onFault(error);
    return new RpcError(RPC_INTERNAL_ERROR, 'Internal error', undefined, 500);
  }
}

function legacyMethodNotFound(): RpcError {
  const { code, message } = methodNotFound();
  return new RpcError(code, message);
}

/** Whose request ids these are; undefined when that is not certain, and then nobody can cancel them. */
function scopeOf(exchange: McpExchange, peer: LegacyPeer | undefined): string | undefined {
  return peer === undefined ? undefined : JSON.stringify([ownerKey(exchange.principal), peer.sessionId]);
}

function finish(site: CallSite, body: string, error?: RpcError): McpReply {
  if (site.streaming) {
    site.finish(body);
    return { kind: 'streamed' };
  }
  return messageReply(body, error?.status, error?.headers);
}

function errorReply(id: RequestId | undefined, error: RpcError): McpReply {
  return messageReply(errorMessage(id, error), error.status, error.headers);
}
