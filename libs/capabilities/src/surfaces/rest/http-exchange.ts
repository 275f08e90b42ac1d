import type { ExecutionContext } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestParts } from './input/read-request-input.js';

/** The adapter's request: Express hands Node's own on, Fastify keeps it in `raw`. */
export interface AdapterRequest {
  readonly raw?: IncomingMessage;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly originalUrl?: string;
}

/** The adapter's response: Express hands Node's own on, Fastify's reply keeps it in `raw`. */
export type AdapterResponse = ServerResponse | FastifyReply;

/** The part of Fastify's reply that is used. */
export interface FastifyReply {
  readonly raw: ServerResponse;
  readonly sent: boolean;
  code(status: number): this;
  header(name: string, value: string): this;
  getHeader(name: string): unknown;
  send(payload?: Buffer): unknown;
}

/** One HTTP request and its response, whatever the adapter. */
export interface HttpExchange {
  readonly request: AdapterRequest;
  readonly response: AdapterResponse;
}

/** The HTTP exchange of a guard's or filter's context. */
export function exchangeOf(context: Pick<ExecutionContext, 'switchToHttp'>): HttpExchange {
  const http = context.switchToHttp();
  return { request: http.getRequest<AdapterRequest>(), response: http.getResponse<AdapterResponse>() };
}

export function nodeRequest(request: AdapterRequest): IncomingMessage {
  return request.raw ?? (request as unknown as IncomingMessage);
}

export function nodeResponse(response: AdapterResponse): ServerResponse {
  return 'raw' in response ? response.raw : response;
}

/** The request target as the client sent it. */
export function requestTarget(request: AdapterRequest): string {
  return request.originalUrl ?? nodeRequest(request).url ?? '/';
}

export function requestParts(request: AdapterRequest): RequestParts {
  return { raw: nodeRequest(request), target: requestTarget(request), params: request.params ?? {} };
}
