import { Agent } from 'node:http';
import { type Answer, answerOf, type PlainReply } from './answer.js';
import { send } from './http.js';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const PREFIX = 'io.modelcontextprotocol/';
const LIST = 'tools/list';

/** What a raw MCP request may differ in. */
export interface McpOptions {
  /** Default `'tools/call'`. */
  readonly method?: string;
  /** Capability or tool to call. Default `orders.get`. */
  readonly name?: string;
  /** Default `{ id: '1' }` for `orders.get`, else none. */
  readonly args?: unknown;
  /** Further members of `params`. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Default `'modern'`. */
  readonly era?: 'modern' | 'legacy';
  readonly id?: string | number;
  /** What the client says it can do, 2026-07-28 only. */
  readonly capabilities?: object;
  /** Further members of `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Sent beside or instead of the usual ones; an empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as the body, byte for byte. */
  readonly raw?: string | Buffer;
  /** Behind the `?`. */
  readonly query?: string;
}

/** The answer to a raw MCP request. `code` is the reason of the envelope, or the JSON-RPC code as text. */
export interface McpAnswer extends Answer {
  /** The JSON-RPC result. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
  /** `requestState` of a call that asks. */
  readonly state: string | undefined;
  /** The keys that it asks for. */
  readonly asks: readonly string[];
}

/** Sends one request to `/mcp`; without a token none is sent. */
export async function mcpRequest(
  base: string,
  token: string | undefined,
  options: McpOptions = {},
): Promise<McpAnswer> {
  const url = `${base}/mcp${options.query === undefined ? '' : `?${options.query}`}`;
  const headers = headersOf(token, options);
  const body = options.raw ?? JSON.stringify(messageOf(options));
  return mcpAnswer(await send(url, { method: 'POST', headers, body }));
}

/** The bytes of `tools/list` over a connection of its own. */
export async function listBytes(base: string, token: string): Promise<string> {
  const agent = new Agent({ keepAlive: false });
  const list: McpOptions = { method: LIST };
  const body = JSON.stringify(messageOf(list));
  const reply = await send(`${base}/mcp`, { method: 'POST', headers: headersOf(token, list), body, agent });
  agent.destroy();
  if (reply.status !== 200) throw new Error(`The list was refused: ${reply.status} ${reply.text}`);
  return reply.text;
}

function toolOf({ name = 'orders.get' }: McpOptions): string {
  return name.replaceAll('.', '_');
}

function headersOf(token: string | undefined, options: McpOptions): Record<string, string> {
  const { era = 'modern', method = 'tools/call', headers = {} } = options;
  const standard =
    era === 'legacy'
      ? {}
      : { 'mcp-method': method, ...(method === 'tools/call' ? { 'mcp-name': toolOf(options) } : {}) };
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era === 'legacy' ? LEGACY : MODERN,
    ...standard,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

function messageOf(options: McpOptions): object {
  const {
    method = 'tools/call',
    era = 'modern',
    id = 1,
    capabilities = {},
    meta = {},
    params = {},
  } = options;
  const envelope =
    era === 'legacy'
      ? {}
      : { [`${PREFIX}protocolVersion`]: MODERN, [`${PREFIX}clientCapabilities`]: capabilities };
  const call = method === 'tools/call' ? { name: toolOf(options), ...argumentsOf(options) } : {};
  return { jsonrpc: '2.0', id, method, params: { ...call, ...params, _meta: { ...envelope, ...meta } } };
}

function argumentsOf(options: McpOptions): { arguments?: unknown } {
  if (options.args !== undefined) return { arguments: options.args };
  return toolOf(options) === 'orders_get' ? { arguments: { id: '1' } } : {};
}

interface Message {
  readonly result?: Readonly<Record<string, unknown>> & {
    readonly isError?: boolean;
    readonly resultType?: string;
    readonly requestState?: string;
    readonly inputRequests?: object;
    readonly structuredContent?: { readonly status?: string; readonly approvalId?: string };
    readonly _meta?: { readonly 'nest-capabilities/error'?: { readonly reason: string } };
  };
  readonly error?: { readonly code: number };
}

function mcpAnswer(reply: PlainReply): McpAnswer {
  const answer = answerOf(reply);
  const message = messageIn(reply);
  const { result, error } = message;
  const pending = result?.structuredContent?.status === 'approval_required';
  const asks = result?.resultType === 'input_required';
  const reason = result?._meta?.['nest-capabilities/error']?.reason;
  const code = pending ? 'APPROVAL_REQUIRED' : asks ? 'INPUT_REQUIRED' : (reason ?? error?.code.toString());
  return {
    ...answer,
    ok: reply.status === 200 && code === undefined && result?.isError !== true,
    code,
    body: message,
    approvalId: pending ? result.structuredContent?.approvalId : undefined,
    result,
    state: result?.requestState,
    asks: Object.keys(result?.inputRequests ?? {}),
  };
}

/** The last message of the body, which may be a stream of events. */
function messageIn({ headers, text }: PlainReply): Message {
  const isStream = headers['content-type']?.includes('text/event-stream') === true;
  const last = isStream
    ? text
        .split('\n')
        .findLast((line) => line.startsWith('data: '))
        ?.slice('data: '.length)
    : text;
  return last === undefined || last === '' ? {} : (JSON.parse(last) as Message);
}
