import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { FASTIFY_ROUTE_FLAG } from '../routes/route-mark.js';
import { announcesBody, captureBody } from './captured-body.js';

interface FastifyRequest {
  readonly raw: IncomingMessage;
  readonly routeOptions: { readonly config: Readonly<Record<string, unknown>> };
}

type Done = () => void;
type PreParsing = (request: FastifyRequest, reply: unknown, payload: unknown, done: Done) => void;
type PreValidation = (request: FastifyRequest, reply: unknown, done: Done) => void;

/** The part of a Fastify instance that is used. */
export interface FastifyApplication {
  addHook(name: 'preParsing', hook: PreParsing): unknown;
  addHook(name: 'preValidation', hook: PreValidation): unknown;
}

/** What tells Fastify that there is a body to parse. */
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'] as const;
type BodyHeaders = Pick<IncomingHttpHeaders, (typeof BODY_HEADERS)[number]>;

/**
 * Reads the bodies of capability routes in place of Fastify's parsers, which would refuse media types and
 * sizes before any guard. The headers that announce the body are set aside while Fastify decides whether to
 * parse, and are back before any guard sees the request. Every other route keeps the parsers it has.
 */
export function installFastifyBodyReader(instance: FastifyApplication, limit: number): void {
  const setAside = new WeakMap<IncomingMessage, BodyHeaders>();
  instance.addHook('preParsing', (request, _reply, _payload, done) => {
    const { raw } = request;
    if (request.routeOptions.config[FASTIFY_ROUTE_FLAG] !== true) return done();
    const hide = (): void => {
      setAside.set(raw, takeHeaders(raw.headers));
      done();
    };
    if (announcesBody(raw)) captureBody(raw, limit, hide);
    else hide();
  });
  instance.addHook('preValidation', ({ raw }, _reply, done) => {
    Object.assign(raw.headers, setAside.get(raw));
    done();
  });
}

function takeHeaders(headers: IncomingHttpHeaders): BodyHeaders {
  const taken: BodyHeaders = {};
  for (const name of BODY_HEADERS) {
    if (headers[name] !== undefined) taken[name] = headers[name];
    delete headers[name];
  }
  return taken;
}
