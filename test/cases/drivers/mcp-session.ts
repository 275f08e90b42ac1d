import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ErrorEnvelope } from 'nest-capabilities';
import { ABSENT, type ListedCapability } from '../driver.js';

const INFO = { name: 'cases', version: '1.0.0' };

/** What a tool answered. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: {
    readonly 'nest-capabilities/error'?: ErrorEnvelope['error'];
    readonly 'nest-capabilities/approval'?: { readonly approvalId: string };
  };
}

/** An official client that is connected. */
export interface McpSession {
  /** One page is all there is. */
  tools(): Promise<readonly ListedCapability[]>;
  /** Rejects with what the client throws. `args` may be what no client of goodwill sends. */
  call(name: string, args: unknown): Promise<ToolResult>;
  close(): Promise<void>;
}

/** An HTTP answer that is no JSON-RPC result. */
export class HttpRefusal extends Error {
  constructor(
    readonly status: number,
    readonly challenge: string,
    readonly body: string,
  ) {
    super(`HTTP ${status}`);
  }
}

/** Opens a session at an endpoint; without a token its caller is anonymous. */
export type OpenSession = (url: string, token: string | undefined) => Promise<McpSession>;

type Mode = 'legacy' | { readonly pin: string };
type SecondTransport = Parameters<Client['connect']>[0];
type AnyFirstTransport = Parameters<FirstClient['connect']>[0];

/** `@modelcontextprotocol/client` 2 in either era, over HTTP. */
export function secondClient(mode: Mode): OpenSession {
  return (url, token) =>
    secondSession(mode, new StreamableHTTPClientTransport(new URL(url), transportOptions(token)));
}

/** The same over any transport. */
export async function secondSession(mode: Mode, transport: SecondTransport): Promise<McpSession> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    close: () => client.close(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => (await client.callTool(params(name, args))) as ToolResult,
  };
}

/** `@modelcontextprotocol/sdk` 1, which checks results against the output schemas it has listed. */
export const firstClient: OpenSession = (url, token) =>
  firstSession(new FirstTransport(new URL(url), transportOptions(token)));

/** The same over any transport. */
export async function firstSession(transport: AnyFirstTransport): Promise<McpSession> {
  const client = new FirstClient(INFO);
  await client.connect(transport);
  return {
    close: () => client.close(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => (await client.callTool(params(name, args))) as ToolResult,
  };
}

function params(name: string, args: unknown): { name: string; arguments?: Record<string, unknown> } {
  return args === ABSENT ? { name } : { name, arguments: args as Record<string, unknown> };
}

function transportOptions(token: string | undefined) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { requestInit: { headers }, fetch: refusing };
}

/** Clients turn some statuses into a login; here they are answers like others. */
async function refusing(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { status, headers } = response;
  if (status === 401 || status === 403 || status >= 500) {
    throw new HttpRefusal(status, headers.get('www-authenticate') ?? '', await response.text());
  }
  return response;
}
