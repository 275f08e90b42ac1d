import type { IncomingMessage } from 'node:http';
import { routeMark } from '../routes/route-mark.js';
import { announcesBody, captureBody, capturedBody } from './captured-body.js';

/** The part of an Express 5 application that is read: its routes, in the order in which they are tried. */
export interface ExpressApplication {
  readonly router: { readonly stack: readonly ExpressLayer[] };
}

interface ExpressLayer {
  readonly route?: {
    readonly methods: Readonly<Record<string, boolean | undefined>>;
    readonly stack: readonly { readonly handle: object }[];
  };
  match(path: string): unknown;
}

/** Express's own request: `path` is what the router matches, whatever form the request target has. */
interface ExpressRequest extends IncomingMessage {
  readonly path: string;
}

type Next = () => void;

/**
 * Reads the bodies of capability routes before Nest's parsers can judge them. Whether a request will reach
 * such a route is asked of the router itself, so prefixes, versions and custom paths are what they are there.
 */
export function expressBodyReader(
  application: ExpressApplication,
  limit: number,
): (request: ExpressRequest, response: unknown, next: Next) => void {
  return (request, _response, next) => {
    if (!announcesBody(request) || !servesCapability(application, request)) return next();
    captureBody(request, limit, () => {
      // A body that is being discarded is still arriving: without a type no parser reads on.
      if (capturedBody(request).kind !== 'bytes') delete request.headers['content-type'];
      next();
    });
  };
}

function servesCapability({ router }: ExpressApplication, request: ExpressRequest): boolean {
  const { path } = request;
  const method = (request.method ?? '').toLowerCase();
  const layer = router.stack.find(
    (each) => each.route !== undefined && handles(each.route.methods, method) && matches(each, path),
  );
  return layer?.route?.stack.some(({ handle }) => routeMark(handle) !== undefined) === true;
}

const handles = (methods: Readonly<Record<string, boolean | undefined>>, method: string): boolean =>
  methods['_all'] === true || methods[method] === true || (method === 'head' && methods['get'] === true);

function matches(layer: ExpressLayer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    // A path that cannot be decoded: the router refuses it by itself.
    return false;
  }
}
