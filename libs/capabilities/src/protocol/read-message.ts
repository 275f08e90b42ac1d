import { RPC_PARSE_ERROR } from '../errors/rpc-codes.js';
import { isRecord } from '../kernel/json.js';
import { parseStrictJson, StrictJsonError } from '../kernel/strict-json.js';
import { isRequestId, type RpcAnswer, type RpcCall } from './json-rpc.js';
import { invalidRequest, RpcError } from './rpc-error.js';

/** One JSON-RPC message: a request or notification, or an answer to a request of ours. */
export type RpcMessage =
  { readonly kind: 'call'; readonly call: RpcCall } | { readonly kind: 'answer'; readonly answer: RpcAnswer };

/** Reads strict JSON. Throws {@link RpcError} −32700 with `data.reason`. */
export function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new RpcError(RPC_PARSE_ERROR, error.message, { reason: error.reason }, 400);
  }
}

/** Reads one message. Throws {@link RpcError} −32600 for anything else, batches included. */
export function readMessage(value: unknown): RpcMessage {
  if (Array.isArray(value)) throw invalidRequest('Batches are not supported');
  if (!isRecord(value) || value['jsonrpc'] !== '2.0')
    throw invalidRequest('The body must be one JSON-RPC 2.0 message');
  const { id, method, params } = value;
  if (Object.hasOwn(value, 'id') && !isRequestId(id))
    throw invalidRequest('The id must be a string or an integer');
  if (method === undefined && isRequestId(id)) return { kind: 'answer', answer: readAnswer(id, value) };
  if (typeof method !== 'string') throw invalidRequest('The method must be a string');
  if (params !== undefined && !isRecord(params)) throw invalidRequest('The params must be an object');
  return { kind: 'call', call: { id: id as RpcCall['id'], method, params: params ?? {} } };
}

function readAnswer(id: string | number, value: Readonly<Record<string, unknown>>): RpcAnswer {
  const { result, error } = value;
  if (isRecord(error))
    return { id, error: { code: Number(error['code']), message: String(error['message']) } };
  if (result === undefined) throw invalidRequest('The message has neither a method nor a result');
  return { id, result };
}

/** The id of a value that is not a valid message, where it is readable. */
export function readableId(value: unknown): string | number | undefined {
  return isRecord(value) && isRequestId(value['id']) ? value['id'] : undefined;
}
