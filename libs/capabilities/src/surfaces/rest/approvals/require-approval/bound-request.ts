import type { ExecutionContext } from '@nestjs/common';
import { CapabilityError } from '../../../../errors/capability-error.js';
import { announcesBody } from '../../body/captured-body.js';
import { type AdapterRequest, exchangeOf, nodeRequest, requestTarget } from '../../http-exchange.js';
import { readQuery } from '../../input/query-string.js';

/** Everything of a request that an approval binds. */
export interface BoundRequest {
  /** Method and route pattern, such as `POST /orders/:id/refund`. */
  readonly route: string;
  readonly className: string;
  readonly methodName: string;
  readonly input: {
    readonly params: Readonly<Record<string, unknown>>;
    readonly query: Readonly<Record<string, string | readonly string[]>>;
    readonly body: unknown;
  };
}

interface ParsedRequest extends AdapterRequest {
  readonly body?: unknown;
  /** Express */
  readonly route?: { readonly path?: unknown };
  /** Fastify */
  readonly routeOptions?: { readonly url?: unknown };
}

/** Files of such a body stand beside `request.body`, wherever its parser puts them. */
const MULTIPART = /^\s*multipart\//i;

/**
 * Reads what an approval binds. Throws MEDIA_TYPE for a body that no parser has read (a stream) and for a file
 * upload, read or not: nobody could say what was approved.
 */
export function boundRequest(context: ExecutionContext): BoundRequest {
  const request: ParsedRequest = exchangeOf(context).request;
  const node = nodeRequest(request);
  const unread = announcesBody(node) && (request.body === undefined || request.body === null);
  if (unread || MULTIPART.test(node.headers['content-type'] ?? '')) {
    const message = 'This route takes a body that is parsed before approval, such as application/json.';
    throw new CapabilityError('MEDIA_TYPE', { message });
  }
  const className = context.getClass().name;
  const methodName = context.getHandler().name;
  const pattern = request.routeOptions?.url ?? request.route?.path;
  return {
    route: `${node.method} ${typeof pattern === 'string' ? pattern : `${className}.${methodName}`}`,
    className,
    methodName,
    input: { params: { ...request.params }, query: queryOf(request), body: request.body ?? null },
  };
}

function queryOf(request: AdapterRequest): BoundRequest['input']['query'] {
  const entries = [...readQuery(requestTarget(request))];
  return Object.fromEntries(
    entries.map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  );
}
