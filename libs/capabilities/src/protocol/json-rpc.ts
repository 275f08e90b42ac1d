/** Identifies a request; never null (MCP 2026-07-28, basic "Requests"). */
export type RequestId = string | number;

/** The id of a message as JSON-RPC 2.0 allows it; MCP refuses null in requests. */
export type JsonRpcId = RequestId | null;

/** A request as it is sent; a notification without `id`. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id?: JsonRpcId;
  readonly method: string;
  readonly params?: unknown;
}

/** A reply. An error has no `id` where the message had none that was readable. */
export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId; readonly result: unknown }
  | {
      readonly jsonrpc: '2.0';
      readonly id?: JsonRpcId;
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/** A JSON-RPC 2.0 message that carries a method. `id` is absent on a notification. */
export interface RpcCall {
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A posted answer to a request that the server sent. */
export interface RpcAnswer {
  readonly id: RequestId;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** True for a string or an integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** A success reply around an already serialized result. */
export function resultMessage(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** An error reply; without an id when none was readable. */
export function errorMessage(
  id: RequestId | undefined,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
): string {
  const { code, message, data } = error;
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}

/** A notification of the server. */
export function notificationMessage(method: string, params: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}
