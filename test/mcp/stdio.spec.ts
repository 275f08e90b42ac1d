import { PassThrough } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ANONYMOUS } from 'nest-capabilities';
import { McpNotifier, McpSurfaceModule, serveStdio } from 'nest-capabilities/mcp';
import { FixtureModule } from './fixture/fixture-app.js';

const PREFIX = 'io.modelcontextprotocol/';
const META = { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: {} };

type Message = Readonly<Record<string, unknown>>;

/** One pipe to the fixture. */
class Pipe {
  private readonly input = new PassThrough();
  private readonly output = new PassThrough();
  private readonly waiting: ((message: Message) => void)[] = [];
  private readonly arrived: Message[] = [];
  readonly served: Promise<void>;

  constructor(app: INestApplicationContext) {
    let rest = '';
    this.output.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.take(JSON.parse(line) as Message);
    });
    const { endpoint } = app.get(McpSurfaceModule);
    const { input, output } = this;
    this.served = serveStdio({ endpoint, principal: ANONYMOUS, input, output, lineLimit: 10_000 });
  }

  private take(message: Message): void {
    const waiter = this.waiting.shift();
    if (waiter === undefined) this.arrived.push(message);
    else waiter(message);
  }

  write(data: string | Uint8Array): void {
    this.input.write(data);
  }

  send(message: Message): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  next(): Promise<Message> {
    const message = this.arrived.shift();
    return message === undefined
      ? new Promise((resolve) => this.waiting.push(resolve))
      : Promise.resolve(message);
  }

  async end(): Promise<void> {
    this.input.end();
    await this.served;
  }
}

describe('MCP over a pipe', () => {
  let app: INestApplicationContext;
  let pipe: Pipe;

  beforeAll(async () => {
    app = await NestFactory.createApplicationContext(FixtureModule, { logger: false });
  });
  afterAll(() => app.close());
  beforeEach(() => {
    pipe = new Pipe(app);
  });
  afterEach(() => pipe.end());

  it('answers both eras on one connection', async () => {
    pipe.send({ id: 1, method: 'server/discover', params: { _meta: META } });
    expect(await pipe.next()).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'] } });
    pipe.send({ id: 2, method: 'ping' });
    expect(await pipe.next()).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });

  it('takes messages in any pieces', async () => {
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 'ü', method: 'ping' })}\n`;
    const bytes = Buffer.from(line + line);
    for (let at = 0; at < bytes.length; at++) pipe.write(bytes.subarray(at, at + 1));

    expect(await pipe.next()).toMatchObject({ id: 'ü', result: {} });
    expect(await pipe.next()).toMatchObject({ id: 'ü', result: {} });
  });

  it('refuses a malformed and an endless line, and goes on', async () => {
    pipe.write('{"jsonrpc":\n');
    expect(await pipe.next()).toMatchObject({ error: { code: -32700 } });
    pipe.write(`"${'x'.repeat(20_000)}"\n`);
    expect(await pipe.next()).toMatchObject({ error: { code: -32600 } });
    pipe.write('\n');
    pipe.send({ id: 3, method: 'ping' });
    expect(await pipe.next()).toMatchObject({ id: 3, result: {} });
  });

  it('asks the peer that initialized the connection', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 't', version: '1' },
    };
    pipe.send({ id: 1, method: 'initialize', params });
    await pipe.next();
    pipe.send({
      id: 2,
      method: 'tools/call',
      params: { name: 'test_elicitation', arguments: { message: 'Who?' } },
    });
    const question = await pipe.next();
    pipe.send({ id: question['id'], result: { action: 'decline' } });

    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
    expect(await pipe.next()).toMatchObject({
      id: 2,
      result: { content: [{ text: 'User response: {"action":"decline"}' }] },
    });
  });

  it('listens until it is told to stop', async () => {
    pipe.send({
      id: 'l',
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: META },
    });
    expect(await pipe.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    await app.get(McpNotifier).toolsChanged();
    expect(await pipe.next()).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { [`${PREFIX}subscriptionId`]: 'l' } },
    });
    pipe.send({ method: 'notifications/cancelled', params: { requestId: 'l' } });
    pipe.send({ id: 9, method: 'ping' });
    await pipe.next();
    await app.get(McpNotifier).toolsChanged();
    pipe.send({ id: 10, method: 'ping' });

    expect(await pipe.next()).toMatchObject({ id: 10 });
  });

  it('ends what still runs when the pipe ends', async () => {
    pipe.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'slow_compute', arguments: { seconds: 60 }, _meta: META },
    });
    pipe.send({ id: 2, method: 'ping' });
    await pipe.next();

    await expect(pipe.end()).resolves.toBeUndefined();
  });
});
