import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ADAPTERS, startFixture } from './fixture/fixture-app.js';

const INFO = { name: 'test', version: '1.0.0' };
const CAPABILITIES = { capabilities: { elicitation: {} } };
const ANSWER = {
  action: 'accept' as const,
  content: { name: 'Ada', username: 'ada', email: 'ada@example.com' },
};
const STDIO = { command: process.execPath, args: [join(import.meta.dirname, 'fixture/run-stdio.mjs')] };

/** What every official client can do here. */
interface Session {
  readonly version: string | undefined;
  tools(): Promise<readonly string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>>;
  read(uri: string): Promise<unknown>;
  prompt(name: string, args: Record<string, string>): Promise<unknown>;
  close(): Promise<void>;
}

type SecondTransport = StreamableHTTPClientTransport | StdioClientTransport;
type FirstTransport = FirstHttp | FirstStdio;

async function second(transport: SecondTransport, mode: 'legacy' | { pin: string }): Promise<Session> {
  const client = new Client(INFO, { ...CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => ANSWER);
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    close: () => client.close(),
  };
}

async function first(transport: FirstTransport): Promise<Session> {
  const client = new FirstClient(INFO, CAPABILITIES);
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
  await client.connect(transport);
  return {
    version: '2025-11-25',
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => ({ ...(await client.callTool({ name, arguments: args })) }),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    close: () => client.close(),
  };
}

function servesSession(open: () => Promise<Session>, version: string): void {
  let session: Session;
  beforeAll(async () => {
    session = await open();
  }, 30_000);
  afterAll(() => session.close());

  it(`speaks ${version}`, () => {
    expect(session.version).toBe(version);
  });

  it('lists and calls tools', async () => {
    expect(await session.tools()).toContain('test_simple_text');
    const { content } = await session.call('test_simple_text');
    expect(content).toEqual([{ type: 'text', text: 'This is a simple text response for testing.' }]);
  });

  it('asks through the client', async () => {
    const { content } = await session.call('test_elicitation', { message: 'Who?' });
    expect(JSON.stringify(content)).toContain('ada@example.com');
  });

  it('receives every outcome in words it can read', async () => {
    const invalid = await session.call('greet', { nome: 'x' });
    const failed = await session.call('test_error_handling');

    expect(invalid.isError).toBe(true);
    expect(JSON.stringify(invalid.content)).toContain('nome');
    expect(failed.isError).toBe(true);
    await expect(session.call('no_such_tool')).rejects.toMatchObject({ code: -32602 });
    expect((await session.call('greet', { name: 'x' })).isError).toBeFalsy();
  });

  it('reads resources and prompts', async () => {
    expect(await session.read('test://template/7/data')).toEqual([
      expect.objectContaining({
        uri: 'test://template/7/data',
        text: expect.stringContaining('"id":"7"') as string,
      }),
    ]);
    expect(
      JSON.stringify(await session.prompt('test_prompt_with_arguments', { arg1: 'a', arg2: 'b' })),
    ).toContain("arg1='a', arg2='b'");
    await expect(session.read('test://none')).rejects.toMatchObject({ code: -32602 });
  });
}

describe.each(ADAPTERS)('official clients over HTTP on %s', (adapter) => {
  let app: INestApplication;
  let url: URL;

  beforeAll(async () => {
    const server = await startFixture({ adapter, port: 0 });
    app = server.app;
    url = new URL(server.url);
  });
  afterAll(() => app.close());

  describe('version 2 in the stateless era', () => {
    servesSession(() => second(new StreamableHTTPClientTransport(url), { pin: '2026-07-28' }), '2026-07-28');
  });
  describe('version 2 with initialize', () => {
    servesSession(() => second(new StreamableHTTPClientTransport(url), 'legacy'), '2025-11-25');
  });
  describe('version 1', () => {
    servesSession(() => first(new FirstHttp(url)), '2025-11-25');
  });
});

describe('official clients over stdio', () => {
  describe('version 2 in the stateless era', () => {
    servesSession(() => second(new StdioClientTransport(STDIO), { pin: '2026-07-28' }), '2026-07-28');
  });
  describe('version 2 with initialize', () => {
    servesSession(() => second(new StdioClientTransport(STDIO), 'legacy'), '2025-11-25');
  });
  describe('version 1', () => {
    servesSession(() => first(new FirstStdio(STDIO)), '2025-11-25');
  });
});
