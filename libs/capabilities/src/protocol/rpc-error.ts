import { RPC_INVALID_PARAMS, RPC_INVALID_REQUEST, RPC_METHOD_NOT_FOUND } from '../errors/rpc-codes.js';
import { SUPPORTED_MODERN } from './versions.js';

/** A header field is missing or disagrees with the body. */
const HEADER_MISMATCH = -32020;
/** The request needs a client capability that was not declared. */
const MISSING_CLIENT_CAPABILITY = -32021;
/** The protocol version is not served. */
const UNSUPPORTED_VERSION = -32022;

/** A refusal that leaves as a JSON-RPC error. Everything in it is public. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /** HTTP status where the transport has one. */
    readonly status: number = 200,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'RpcError';
  }
}

export const invalidRequest = (message: string): RpcError =>
  new RpcError(RPC_INVALID_REQUEST, message, undefined, 400);

export const headerMismatch = (message: string): RpcError =>
  new RpcError(HEADER_MISMATCH, message, undefined, 400);

/** Unknown, removed or unadvertised method: HTTP 404 with a JSON-RPC body. */
export const methodNotFound = (): RpcError =>
  new RpcError(RPC_METHOD_NOT_FOUND, 'Method not found', undefined, 404);

export const unsupportedVersion = (requested: string): RpcError =>
  new RpcError(
    UNSUPPORTED_VERSION,
    'Unsupported protocol version',
    { supported: SUPPORTED_MODERN, requested },
    400,
  );

/** `required` is a `ClientCapabilities` object such as `{ sampling: {} }`. */
export const missingClientCapability = (required: Readonly<Record<string, unknown>>): RpcError =>
  new RpcError(
    MISSING_CLIENT_CAPABILITY,
    'The client did not declare a capability that this request needs',
    { requiredCapabilities: required },
    400,
  );

export const invalidParams = (message: string, data?: unknown, status = 200): RpcError =>
  new RpcError(RPC_INVALID_PARAMS, message, data, status);
