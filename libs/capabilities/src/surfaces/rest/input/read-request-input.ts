import type { IncomingMessage } from 'node:http';
import { CapabilityError } from '../../../errors/capability-error.js';
import { isRecord } from '../../../kernel/json.js';
import { type CapturedBody, capturedBody } from '../body/captured-body.js';
import { readJsonBody } from '../body/read-json-body.js';
import type { CapabilityRoute } from '../routes/capability-route.js';
import { decodeParameter } from './decode-parameter.js';
import { readQuery } from './query-string.js';

/** The parts of an HTTP request that carry input. */
export interface RequestParts {
  /** Node's request, for the captured body. */
  readonly raw: IncomingMessage;
  /** The request target with its query. */
  readonly target: string;
  /** Path parameters, decoded by the adapter's router. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Builds the raw input of a capability route: path parameters, and beside them the body (POST, PUT, PATCH)
 * or the query (GET, DELETE). The whole input is parsed afterwards, cross-field checks included.
 * Throws MEDIA_TYPE, TOO_LARGE or INPUT_INVALID.
 */
export function readRequestInput(route: CapabilityRoute, parts: RequestParts): unknown {
  const body = capturedBody(parts.raw);
  const rest = route.readsQuery ? fromQuery(route, parts.target, body) : readJsonBody(body);
  if (route.pathParameters.length === 0) return rest;
  return withPathParameters(route, parts.params, rest ?? {});
}

function fromQuery(route: CapabilityRoute, target: string, body: CapturedBody): Record<string, unknown> {
  if (body.kind === 'oversize') throw new CapabilityError('TOO_LARGE');
  if (body.kind !== 'bytes' || body.bytes.length > 0) {
    const message = 'Send no body: the input is read from the path and the query.';
    throw new CapabilityError('INPUT_INVALID', { message });
  }
  const input: Record<string, unknown> = {};
  for (const [field, values] of readQuery(target)) {
    input[field] = decodeParameter(field, values, route.shapes.get(field));
  }
  return input;
}

function withPathParameters(route: CapabilityRoute, params: RequestParts['params'], rest: unknown): unknown {
  if (!isRecord(rest))
    throw new CapabilityError('INPUT_INVALID', { message: 'The body must be a JSON object.' });
  const input: Record<string, unknown> = { ...rest };
  for (const field of route.pathParameters) {
    if (Object.hasOwn(rest, field)) {
      const message = `${field}: This field is read from the path; leave it out elsewhere.`;
      throw new CapabilityError('INPUT_INVALID', { field, message });
    }
    const text = String(params[field]);
    if (text.includes('\0'))
      throw new CapabilityError('INPUT_INVALID', { field, message: `${field}: NUL is not accepted.` });
    input[field] = decodeParameter(field, [text], route.shapes.get(field));
  }
  return input;
}
