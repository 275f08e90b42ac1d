import type { IncomingMessage, ServerResponse } from 'node:http';
import { CapabilityError } from '../../../errors/capability-error.js';
import { RPC_INVALID_REQUEST } from '../../../errors/rpc-codes.js';
import { ANONYMOUS, completePrincipal, type Principal } from '../../../kernel/principal.js';
import type { PrincipalResolver } from '../../../policies/principal-resolver.js';
import type { HeaderMap, McpReply } from '../../../protocol/exchange.js';
import { errorMessage } from '../../../protocol/json-rpc.js';
import type { McpDispatcher } from '../../../protocol/mcp-dispatcher.js';
import { RpcError } from '../../../protocol/rpc-error.js';
import { bearerToken } from '../../bearer-token.js';
import type { ResolvedMcpOptions } from '../mcp-options.js';
import type { Challenges } from './challenges.js';
import { EventStream } from './event-stream.js';
import { OriginGuard } from './origin-guard.js';
import { isJsonMediaType } from '../../media-type.js';
import { readBody } from './read-body.js';

/** The HTTP side of one endpoint, on Node's own request and response. */
export class McpHttpEndpoint {
  private readonly origins: OriginGuard;

  constructor(
    private readonly options: ResolvedMcpOptions,
    private readonly dispatcher: McpDispatcher,
    private readonly principals: PrincipalResolver,
    private readonly challenges: Challenges,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.origins = new OriginGuard(options);
  }

  /**
   * Serves one request: Origin and Host, credentials, method, media type and size, then the dispatcher.
   * `request` is the framework's own, for the application's resolver and guards. Never rejects.
   */
  async serve(raw: IncomingMessage, response: ServerResponse, request: unknown): Promise<void> {
    try {
      const reply = await this.reply(raw, response, request);
      send(response, reply);
    } catch (error) {
      if (!(error instanceof RpcError)) this.onFault(error);
      refuse(response, error instanceof RpcError ? error : FAULT);
    }
  }

  private async reply(raw: IncomingMessage, response: ServerResponse, request: unknown): Promise<McpReply> {
    if (!this.origins.accepts(raw)) throw refusal(403, 'This origin or host is not allowed.');
    const principal = await this.principal(raw, request).catch(async (refused: unknown) => {
      await this.recordRefusal(request);
      throw refused;
    });
    if (raw.method !== 'POST') throw refusal(405, 'Use POST.', { allow: 'POST' });
    const bytes = await this.body(raw);
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    return this.dispatcher.handle(bytes, {
      headers: raw.headers as HeaderMap,
      principal,
      request,
      signal: gone.signal,
      openStream: () => new EventStream(response),
    });
  }

  /** The verified caller. Throws {@link RpcError} 401 with a challenge. */
  private async principal(raw: IncomingMessage, request: unknown): Promise<Principal> {
    const { authorization } = raw.headers;
    const token = bearerToken(authorization);
    if (authorization !== undefined && token === undefined) throw this.challenges.unauthenticated(false);
    const principal = await this.resolve(token, request);
    const isAnonymous = principal === undefined || principal.kind === 'anonymous';
    if (!isAnonymous) return principal;
    if (token !== undefined || !this.options.anonymous)
      throw this.challenges.unauthenticated(token !== undefined);
    return principal ?? ANONYMOUS;
  }

  /** Who was not let in is recorded as denied, under the endpoint's path: no body was read, so no name is known. */
  private async recordRefusal(request: unknown): Promise<void> {
    const { runner, options } = this.dispatcher.server;
    await runner.execute(options.endpoint, undefined, { principal: null, surface: 'mcp', request });
  }

  /** A resolver that throws has not identified anybody. */
  private async resolve(token: string | undefined, request: unknown): Promise<Principal | undefined> {
    try {
      const source = { surface: 'mcp', request, ...(token === undefined ? {} : { token }) } as const;
      const input = await this.principals.resolve(source);
      return input === null ? undefined : completePrincipal(input);
    } catch {
      return undefined;
    }
  }

  private async body(raw: IncomingMessage): Promise<Buffer> {
    const body = await readBody(raw, this.options.bodyLimit);
    if (body.kind === 'encoded' || !isJsonMediaType(raw.headers['content-type'] ?? '')) {
      throw fromError(new CapabilityError('MEDIA_TYPE'));
    }
    switch (body.kind) {
      case 'oversize':
        throw fromError(new CapabilityError('TOO_LARGE'));
      case 'taken':
        throw new TypeError(
          'Something read the request body before the MCP surface; mount body parsers after it.',
        );
      case 'bytes':
        return body.bytes;
    }
  }
}

const FAULT = new RpcError(-32_603, 'Internal error', undefined, 500);

function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): RpcError {
  return new RpcError(RPC_INVALID_REQUEST, message, undefined, status, headers);
}

function fromError({ status, message, reason }: CapabilityError): RpcError {
  return new RpcError(RPC_INVALID_REQUEST, message, { reason }, status);
}

function refuse(response: ServerResponse, error: RpcError): void {
  send(response, {
    kind: 'message',
    status: error.status,
    headers: error.headers,
    body: errorMessage(undefined, error),
  });
}

function send(response: ServerResponse, reply: McpReply): void {
  if (reply.kind === 'streamed' || response.headersSent || response.destroyed) return;
  if (reply.kind === 'accepted') {
    response.writeHead(202).end();
    return;
  }
  response.writeHead(reply.status, {
    ...reply.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(reply.body),
  });
  // As one string Node sends it together with the header fields.
  response.end(reply.body);
}
