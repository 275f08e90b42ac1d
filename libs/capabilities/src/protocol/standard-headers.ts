import type { HeaderMap } from './exchange.js';
import { decodeFieldValue, trimField } from './header-value.js';
import type { RpcCall } from './json-rpc.js';
import { headerMismatch } from './rpc-error.js';

/** The parameter that `Mcp-Name` repeats, by method (MCP 2026-07-28, "Request Metadata"; SEP-2663). */
const NAMED: Readonly<Record<string, string>> = Object.freeze({
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
});

/** Refuses a request whose `Mcp-Method` or `Mcp-Name` is missing or disagrees with the body. Throws {@link RpcError} −32020. */
export function checkStandardHeaders(call: RpcCall, headers: HeaderMap): void {
  const method = headers['mcp-method'];
  if (method === undefined) throw headerMismatch('The Mcp-Method header is missing');
  if (trimField(method) !== call.method) throw headerMismatch('The Mcp-Method header differs from the body');
  const parameter = Object.hasOwn(NAMED, call.method) ? NAMED[call.method] : undefined;
  if (parameter === undefined) return;
  const raw = headers['mcp-name'];
  if (raw === undefined) throw headerMismatch('The Mcp-Name header is missing');
  const name = decodeFieldValue(raw);
  if (name === undefined) throw headerMismatch('The Mcp-Name header is not valid base64 of UTF-8');
  if (name !== call.params[parameter]) throw headerMismatch('The Mcp-Name header differs from the body');
}
