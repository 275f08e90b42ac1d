import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { readBody } from './read-body.js';

/** Serves one request on Node's own objects; `request` is the framework's. */
export type RawHandler = (
  raw: IncomingMessage,
  response: ServerResponse,
  request: unknown,
) => Promise<void> | void;

/** Methods the endpoint answers itself. `OPTIONS` is left to the application's CORS. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): Record<string, string | number | string[] | undefined>;
}

interface FastifyInstance {
  route(route: {
    readonly method: readonly string[];
    readonly url: string;
    readonly onRequest: (request: { readonly raw: IncomingMessage }, reply: FastifyReply) => void;
    readonly handler: () => void;
  }): unknown;
}

type Next = () => void;

/** Puts raw handlers on the application's HTTP adapter, Express or Fastify, without importing either. */
export class AdapterRoutes {
  private readonly bodies = new Map<string, number>();

  constructor(private readonly adapter: AbstractHttpAdapter) {}

  /**
   * Express only, before any other middleware: reads the bodies of the endpoints, so that no parser of the
   * application judges them first. Paths become known later, with the routes.
   */
  captureBodies(): void {
    if (this.adapter.getType() !== 'express') return;
    this.adapter.use((request: IncomingMessage, _response: unknown, next: Next) => {
      const limit = this.bodies.get(pathOf(request).toLowerCase());
      if (limit === undefined || request.method === 'OPTIONS') return next();
      void readThen(request, limit, next);
    });
  }

  /** Every method of one path; `bodyLimit` in bytes. */
  endpoint(path: string, bodyLimit: number, handler: RawHandler): void {
    const known = path.toLowerCase();
    this.bodies.set(known, bodyLimit).set(`${known}/`, bodyLimit);
    this.add(path, METHODS, handler);
  }

  /** GET of one path. */
  document(path: string, handler: RawHandler): void {
    this.add(path, ['GET'], handler);
  }

  private add(path: string, methods: readonly string[], handler: RawHandler): void {
    if (this.adapter.getType() === 'fastify') this.addFastify(path, methods, handler);
    else this.addExpress(path, methods, handler);
  }

  private addExpress(path: string, methods: readonly string[], handler: RawHandler): void {
    for (const method of methods) {
      const register = this.adapter[method.toLowerCase() as 'get'].bind(this.adapter) as (
        path: string,
        handler: (request: IncomingMessage, response: ServerResponse) => void,
      ) => unknown;
      register(path, (request, response) => void handler(request, response, request));
    }
  }

  /** Taken over before Fastify parses anything; headers set so far (CORS) go along. */
  private addFastify(path: string, methods: readonly string[], handler: RawHandler): void {
    const instance = this.adapter.getInstance<FastifyInstance>();
    instance.route({
      method: methods,
      url: path,
      onRequest: (request, reply) => {
        reply.hijack();
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value);
        }
        void handler(request.raw, reply.raw, request);
      },
      handler: () => undefined,
    });
  }
}

/** What was not kept is no body to any parser behind: the headers that announce it go. */
async function readThen(request: IncomingMessage, limit: number, next: Next): Promise<void> {
  const { kind } = await readBody(request, limit);
  if (kind !== 'bytes') {
    delete request.headers['content-length'];
    delete request.headers['transfer-encoding'];
  }
  next();
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}
