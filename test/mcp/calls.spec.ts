import { setTimeout as sleep } from 'node:timers/promises';
import { Capability, CapabilityFailure, CapabilityHost, hide, type HandlerContext } from 'nest-capabilities';
import { McpSurfaceModule } from 'nest-capabilities/mcp';
import { z } from 'zod';
import { ADAPTERS } from './fixture/fixture-app.js';
import { call, type Era, requestBody, requestHeaders, send } from './support/raw-client.js';
import { startTokenApp, type TokenApp } from './support/token-app.js';

const Order = z.object({ id: z.string() });
const Total = z.object({ amount: z.int() });
const ERAS: readonly Era[] = ['modern', 'legacy'];

let aborted: string[] = [];

@CapabilityHost({
  namespace: 'orders',
  expose: ['mcp'],
  risk: 'low',
  permission: 'orders:read',
  tags: ['sales'],
})
class Orders {
  @Capability.read({ title: 'Find an order', description: 'Finds one order.', inputSchema: Order })
  get({ id }: z.output<typeof Order>): object {
    return { id, total: 42 };
  }

  @Capability.read({
    description: 'Finds a customer.',
    outputSchema: z.object({ id: z.int() }),
    redact: { output: ({ id }) => ({ id: id + 1 }) },
    cites: ({ id }) => [{ product: 'shop', kind: 'customer', id: String(id) }],
  })
  customer(): { id: number } {
    return { id: 1, secret: 'S3CR3T' } as { id: number };
  }

  @Capability.read({ description: 'Answers a plain text.' })
  text(): string {
    return 'hello';
  }

  @Capability.read({ description: 'Answers nothing.' })
  nothing(): void {}

  @Capability.read({ description: 'Answers a list.', outputSchema: z.array(z.object({ id: z.int() })) })
  list(): { id: number }[] {
    return [{ id: 1 }, { id: 2 }];
  }

  @Capability.read({
    description: 'Closes an order that is closed.',
    inputSchema: Order,
    failures: { OrderClosed: { schema: z.object({ id: z.string() }), fix: 'Open a new order.' } },
  })
  close({ id }: z.output<typeof Order>): never {
    throw new CapabilityFailure('OrderClosed', { id }, { message: `Order ${id} is closed.` });
  }

  @Capability.read({ description: 'Breaks.' })
  boom(): never {
    throw new Error('pg://user:S3CRET@db refused 10.0.0.7');
  }

  @Capability.read({ description: 'Exports everything.', permission: 'orders:export', inputSchema: Order })
  export(): string {
    return 'Exported.';
  }

  @Capability.read({ description: 'Waits.', inputSchema: Order })
  async wait({ id }: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    ctx.progress(1, 3);
    ctx.progress(1, 3);
    ctx.progress(2, 3);
    ctx.log('debug', 'quiet');
    ctx.log('warning', 'loud');
    await sleep(150, undefined, { signal: ctx.signal }).catch(() => void aborted.push(id));
    return 'Waited.';
  }

  @Capability.write({
    description: 'Charges a card.',
    inputSchema: Total,
    idempotent: true,
    approval: { required: false },
    tags: ['billing'],
  })
  charge(): string {
    return 'Charged.';
  }

  @Capability.destructive({ description: 'Is served elsewhere.', expose: ['rest'] })
  purge(): void {}

  @Capability.read({ description: 'Nobody sees it.', permission: null, tags: ['secret'] })
  hidden(): string {
    return 'You should not see this.';
  }
}

describe.each(ADAPTERS)('MCP calls on %s', (adapter) => {
  let server: TokenApp;
  let token: string;

  beforeAll(async () => {
    server = await startTokenApp({
      adapter,
      providers: [Orders],
      capabilities: {
        policies: [
          {
            name: 'secrets',
            phase: 'access',
            hides: true,
            evaluate: ({ capability }) => (capability.tags.includes('secret') ? hide() : { effect: 'allow' }),
          },
        ],
      },
      imports: () => [
        McpSurfaceModule.forRoot({ path: '/billing/mcp', version: '1.0.0', expose: { tags: ['billing'] } }),
        McpSurfaceModule.forRoot({ path: '/typed', version: '1.0.0', outputSchema: true, pageSize: 4 }),
      ],
    });
    token = await server.issue('alice', 'orders:read');
  });
  afterAll(() => server.app.close());
  beforeEach(() => {
    aborted = [];
  });

  const at = (path: string): string => new URL(path, server.url).href;

  describe('lists', () => {
    it('gives each caller their own tools, privately and in one order', async () => {
      const own = await send(server.url, 'tools/list', {}, { token });
      const again = await send(server.url, 'tools/list', {}, { token });
      const more = await send(
        server.url,
        'tools/list',
        {},
        {
          token: await server.issue('bob', 'orders:read orders:export'),
        },
      );
      const names = (reply: typeof own): string[] =>
        (reply.json['result'].tools as { name: string }[]).map(({ name }) => name);

      expect(again.text).toBe(own.text);
      expect(own.json['result'].cacheScope).toBe('private');
      expect(names(own)).not.toContain('orders_export');
      expect(names(own)).not.toContain('orders_hidden');
      expect(names(more)).toEqual([...names(own), 'orders_export'].sort());
    });

    it('derives annotations and titles', async () => {
      const { json } = await send(server.url, 'tools/list', {}, { token });
      const tools = json['result'].tools as { name: string; title: string; annotations: object }[];
      const find = (name: string) => tools.find((tool) => tool.name === name);

      expect(find('orders_get')).toMatchObject({
        title: 'Find an order',
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        inputSchema: { type: 'object', required: ['id'], additionalProperties: false },
      });
      expect(find('orders_charge')?.annotations).toMatchObject({ readOnlyHint: false, idempotentHint: true });
      expect(tools.every((tool) => !('outputSchema' in tool))).toBe(true);
    });

    it('serves slices and pages at other endpoints of the application', async () => {
      const billing = await send(at('/billing/mcp'), 'tools/list', {}, { token });
      const first = await send(at('/typed'), 'tools/list', {}, { token });
      const cursor = first.json['result'].nextCursor as string;
      const second = await send(at('/typed'), 'tools/list', { cursor }, { token });
      const foreign = await send(
        at('/typed'),
        'tools/list',
        { cursor },
        {
          token: await server.issue('bob', 'orders:read orders:export'),
        },
      );

      expect(billing.json['result'].tools).toHaveLength(1);
      expect(first.json['result'].tools).toHaveLength(4);
      expect(second.json['result'].tools[0].name).not.toBe(first.json['result'].tools[0].name);
      expect(foreign.json['error'].code).toBe(-32602);
    });

    it.each(ERAS)('advertises output schemas that fit the %s wire, where asked for', async (era) => {
      const tools: { name: string; outputSchema?: { type: string } }[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const { json } = await send(at('/typed'), 'tools/list', cursor === undefined ? {} : { cursor }, {
          token,
          era,
        });
        tools.push(...(json['result'].tools as typeof tools));
        cursor = json['result'].nextCursor as string | undefined;
      }
      const { json } = await call(at('/typed'), 'orders_list', {}, { token, era });
      const items = [{ id: 1 }, { id: 2 }];

      expect(tools.find(({ name }) => name === 'orders_list')?.outputSchema?.type).toBe(
        era === 'modern' ? 'array' : 'object',
      );
      expect(json['result'].structuredContent).toEqual(era === 'modern' ? items : { result: items });
      expect(JSON.parse(json['result'].content[0].text as string)).toEqual(items);
    });
  });

  describe.each(ERAS)('results in the %s era', (era) => {
    it('gives text and data from the same redacted value, and links what it cites', async () => {
      const { json, text } = await call(server.url, 'orders_customer', {}, { token, era });

      expect(json['result'].structuredContent).toEqual({ id: 2 });
      expect(json['result'].content).toEqual([
        { type: 'text', text: '{"id":2}' },
        { type: 'resource_link', uri: 'object:shop/customer/1', name: 'customer 1' },
      ]);
      expect(text).not.toContain('S3CR3T');
    });

    it('sends a text as itself and nothing as no content', async () => {
      const text = await call(server.url, 'orders_text', {}, { token, era });
      const nothing = await call(server.url, 'orders_nothing', {}, { token, era });

      expect(text.json['result'].content).toEqual([{ type: 'text', text: 'hello' }]);
      expect(nothing.json['result'].content).toEqual([]);
      expect(nothing.json['result'].isError).toBeUndefined();
    });

    it('names the field of bad input in a result', async () => {
      const missing = await call(server.url, 'orders_get', {}, { token, era });
      const extra = await call(server.url, 'orders_get', { id: '1', role: 'admin' }, { token, era });

      for (const [reply, field] of [
        [missing, 'id'],
        [extra, 'role'],
      ] as const) {
        expect(reply.json['result'].isError).toBe(true);
        expect(reply.json['result'].content[0].text).toContain(field);
      }
    });

    it('tells a declared failure with its fix, and masks a fault', async () => {
      const closed = await call(server.url, 'orders_close', { id: '7' }, { token, era });
      const fault = await call(server.url, 'orders_boom', {}, { token, era });

      expect(closed.json['result']).toMatchObject({ isError: true });
      expect(closed.json['result'].content[0].text).toBe('Order 7 is closed. — Open a new order.');
      expect(fault.json['result'].isError).toBe(true);
      expect(fault.text).not.toMatch(/S3CRET|pg:|10\.0\.0\.7/);
    });

    it('conceals what a caller may not know', async () => {
      const names = [
        'nope',
        'orders_purge',
        'orders_hidden',
        'orders.get',
        '__proto__',
        'constructor',
        '',
        'x'.repeat(5000),
      ];
      const replies = await Promise.all(
        names.flatMap((name) => [{}, { id: 7 }].map((args) => call(server.url, name, args, { token, era }))),
      );

      expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
      expect(replies[0]?.json['error']).toEqual({ code: -32602, message: 'Unknown tool' });
      expect(replies.every((reply) => reply.status === 200)).toBe(true);
      expect((await call(server.url, 'orders_text', {}, { token, era })).status).toBe(200);
    });

    it('serves a tool of another slice as an unknown one', async () => {
      const elsewhere = await call(at('/billing/mcp'), 'orders_text', {}, { token, era });
      const unknown = await call(at('/billing/mcp'), 'nope', {}, { token, era });

      expect(elsewhere.text).toBe(unknown.text);
    });

    it.each([{ id: '1' }, {}, { wrong: true }])(
      'challenges before it looks at the input %j',
      async (args) => {
        const reply = await call(server.url, 'orders_export', args, { token, era });

        expect(reply.status).toBe(403);
        expect(reply.headers.get('www-authenticate')).toMatch(
          /error="insufficient_scope".*scope="orders:export"/,
        );
        expect(reply.json['error']).toEqual({
          code: -32600,
          message: 'The token lacks a scope that this call needs.',
          data: { scopes: ['orders:export'] },
        });
      },
    );

    it('refuses arguments that are no object', async () => {
      const reply = await send(
        server.url,
        'tools/call',
        { name: 'orders_get', arguments: [1] },
        { token, era },
      );

      expect(reply.json['error'].code).toBe(-32602);
    });
  });

  describe('the stream of a call', () => {
    it('carries progress that grows and messages that were asked for, then the result', async () => {
      const meta = { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'warning' };
      const { messages } = await call(server.url, 'orders_wait', { id: '1' }, { token, meta, id: 'c' });

      expect(
        messages.map(({ method, params }) => [method, params?.progress ?? params?.data] as unknown),
      ).toEqual([
        ['notifications/progress', 1],
        ['notifications/progress', 2],
        ['notifications/message', 'loud'],
        [undefined, undefined],
      ]);
      expect(messages[0]?.['params'].progressToken).toBe(7);
      expect(messages.at(-1)).toMatchObject({ id: 'c', result: { resultType: 'complete' } });
    });

    it('is not opened without a wish for it', async () => {
      const reply = await call(server.url, 'orders_wait', { id: '1' }, { token });

      expect(reply.headers.get('content-type')).toBe('application/json');
    });

    it('cancels the call when the reader of the stateless era leaves', async () => {
      const gone = AbortSignal.timeout(40);
      await expect(
        call(server.url, 'orders_wait', { id: 'left' }, { token, signal: gone }),
      ).rejects.toThrow();
      await sleep(60);

      expect(aborted).toEqual(['left']);
    });

    it('cancels a call of earlier revisions by notification only', async () => {
      const opened = await send(
        server.url,
        'initialize',
        { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
        { token, era: 'legacy' },
      );
      const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const legacy = { token, era: 'legacy', headers } as const;
      await expect(
        call(server.url, 'orders_wait', { id: 'left' }, { ...legacy, signal: AbortSignal.timeout(40) }),
      ).rejects.toThrow();
      const running = call(server.url, 'orders_wait', { id: 'told' }, { ...legacy, id: 77 });
      await sleep(40);
      await fetch(server.url, {
        method: 'POST',
        headers: requestHeaders('notifications/cancelled', {}, legacy),
        body: JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: 77 },
        }),
      });
      await running;

      expect(aborted).toEqual(['told']);
    });
  });

  describe('bodies', () => {
    const post = (
      body: string | Uint8Array,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Response> =>
      fetch(server.url, {
        method: 'POST',
        headers: { ...requestHeaders('tools/list', {}, { token }), ...headers },
        body,
      });

    it.each([
      ['{"jsonrpc":', 'syntax'],
      ['{"jsonrpc":"2.0","jsonrpc":"2.0"}', 'duplicate-key'],
      ['{"__proto__":{}}', 'forbidden-key'],
      [`${'['.repeat(80)}${']'.repeat(80)}`, 'depth'],
      ['{"a":1e999}', 'number'],
    ])('refuses %s as %s', async (body, reason) => {
      const response = await post(body);

      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: -32700, data: { reason } } });
    });

    it('judges size, encoding and media type after credentials, on both adapters alike', async () => {
      const large = `"${'x'.repeat(300_000)}"`;
      const anonymous = { authorization: '' };

      expect((await post(large)).status).toBe(413);
      expect((await post('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
      expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
      for (const [body, headers] of [
        [large, {}],
        ['{', {}],
        ['{}', { 'content-type': 'text/plain' }],
      ] as const) {
        expect((await post(body, { ...headers, ...anonymous })).status).toBe(401);
      }
    });

    it('takes a body just below the limit', async () => {
      const meta = { padding: 'x'.repeat(250_000) };
      const response = await post(requestBody('tools/list', {}, { meta }));

      expect(response.status).toBe(200);
    });
  });

  it('sends one call under one idempotency key', async () => {
    const meta = { 'nest-capabilities/idempotency-key': `key-${adapter}` };
    const first = await call(server.url, 'orders_charge', { amount: 5 }, { token, meta });
    const other = await call(server.url, 'orders_charge', { amount: 6 }, { token, meta });

    expect(first.json['result'].content[0].text).toBe('Charged.');
    expect(other.json['result'].isError).toBe(true);
    expect(other.json['result']._meta['nest-capabilities/error'].reason).toBe('KEY_REUSED');
  });
});
