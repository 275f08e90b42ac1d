/* oxlint-disable typescript/no-explicit-any -- replies are whatever the server sent; the tests assert on them */
/** Speaks the wire of both protocol eras, so that a test can say exactly what is sent. */
export type Era = 'modern' | 'legacy';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const PREFIX = 'io.modelcontextprotocol/';

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  /** Every JSON-RPC message of the reply, in order. */
  readonly messages: readonly Readonly<Record<string, any>>[];
  /** The last message: the result or error. */
  readonly json: Readonly<Record<string, any>>;
  readonly text: string;
}

export interface RawOptions {
  readonly token?: string;
  readonly era?: Era;
  readonly id?: string | number;
  /** Client capabilities of a 2026-07-28 request. */
  readonly capabilities?: object;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const nameOf = (params: Readonly<Record<string, unknown>>): string | undefined => {
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  return typeof name === 'string' ? name : undefined;
};

export function requestHeaders(
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: RawOptions,
): Record<string, string> {
  const { era = 'modern', token } = options;
  const name = nameOf(params);
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era === 'modern' ? MODERN : LEGACY,
    ...(era === 'modern'
      ? { 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) }
      : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...options.headers,
  };
}

export function requestBody(
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: RawOptions,
): string {
  const { era = 'modern', id = 1, capabilities = {}, meta = {} } = options;
  const envelope = {
    [`${PREFIX}protocolVersion`]: MODERN,
    [`${PREFIX}clientCapabilities`]: capabilities,
  };
  const _meta = { ...(era === 'modern' ? envelope : {}), ...meta };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
}

/** Sends one request and reads the whole reply. */
export async function send(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  options: RawOptions = {},
): Promise<RawReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: requestHeaders(method, params, options),
    body: requestBody(method, params, options),
    signal: options.signal ?? null,
  });
  return readReply(response);
}

async function readReply(response: Response): Promise<RawReply> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  const parts = isStream
    ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))
    : [text].filter((part) => part !== '');
  const messages = parts.map((part) => JSON.parse(part) as Record<string, any>);
  return { status: response.status, headers: response.headers, messages, json: messages.at(-1) ?? {}, text };
}

/** `tools/call`. */
export function call(
  url: string,
  name: string,
  args: object = {},
  options: RawOptions = {},
): Promise<RawReply> {
  return send(url, 'tools/call', { name, arguments: args }, options);
}

/** An open event stream whose messages are taken one at a time. */
export class OpenStream {
  private buffer = '';
  private constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    readonly status: number,
    private readonly controller: AbortController,
  ) {}

  static async open(
    url: string,
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RawOptions = {},
  ): Promise<OpenStream> {
    const controller = new AbortController();
    const response = await fetch(url, {
      method: 'POST',
      headers: requestHeaders(method, params, options),
      body: requestBody(method, params, options),
      signal: controller.signal,
    });
    return new OpenStream(response.body!.getReader(), response.status, controller);
  }

  /** The next message; undefined when the stream has ended. */
  async next(): Promise<Readonly<Record<string, any>> | undefined> {
    for (;;) {
      const end = this.buffer.indexOf('\n\n');
      if (end >= 0) {
        const event = this.buffer.slice(0, end);
        this.buffer = this.buffer.slice(end + 2);
        const data = event.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) return JSON.parse(data.slice('data: '.length)) as Record<string, any>;
        continue;
      }
      const { value, done } = await this.reader.read();
      if (done) return undefined;
      this.buffer += Buffer.from(value).toString('utf8');
    }
  }

  close(): void {
    this.controller.abort();
  }
}
