import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CapabilitiesModule, Capability, CapabilityHost, type HandlerContext } from 'nest-capabilities';
import { McpSurfaceModule, MemorySingleUseStore, MemoryTaskStore } from 'nest-capabilities/mcp';
import { z } from 'zod';
import { call, type RawOptions, type RawReply, send } from './support/raw-client.js';

const Nothing = z.object({});
const FORM = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const NAME = { action: 'accept', content: { name: 'Ada' } };

@CapabilityHost({ namespace: 'shared', expose: ['mcp'], risk: 'low', permission: null })
class Shared {
  @Capability.read({ description: 'Asks twice.', inputSchema: Nothing })
  async twice(_input: object, ctx: HandlerContext): Promise<string> {
    const form = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
    const first = await ctx.elicit?.(form, 'first');
    const second = await ctx.elicit?.(form, 'second');
    return JSON.stringify([first?.content, second?.content]);
  }

  @Capability.read({
    description: 'Runs as a task that asks.',
    inputSchema: Nothing,
    mcp: { task: 'required' },
  })
  async job(_input: object, ctx: HandlerContext): Promise<string> {
    const answer = await ctx.elicit?.({ message: 'Name?', requestedSchema: { type: 'object' } }, 'name');
    return JSON.stringify(answer?.content);
  }
}

/** Two instances that share a secret and their stores, and a client that alternates between them. */
describe('two MCP instances without stickiness', () => {
  const stores = { taskStore: new MemoryTaskStore(), singleUseStore: new MemorySingleUseStore() };
  const secret = 'a secret of at least 32 bytes for the test';
  let apps: INestApplication[];
  let turn = 0;

  beforeAll(async () => {
    const start = async (): Promise<INestApplication> => {
      const testing = await Test.createTestingModule({
        imports: [
          CapabilitiesModule.forRoot({}),
          McpSurfaceModule.forRoot({ version: '1.0.0', anonymous: true, secret, ...stores }),
        ],
        providers: [Shared],
      }).compile();
      const app = testing.createNestApplication();
      await app.listen(0, '127.0.0.1');
      return app;
    };
    apps = [await start(), await start()];
  });
  afterAll(() => Promise.all(apps.map((app) => app.close())));

  const next = async (): Promise<string> => {
    const { port } = new URL(await apps[turn++ % apps.length]!.getUrl());
    return `http://127.0.0.1:${port}/mcp`;
  };
  const options: RawOptions = { capabilities: FORM };
  const retry = async (asked: RawReply, key: string): Promise<RawReply> =>
    send(
      await next(),
      'tools/call',
      {
        name: 'shared_twice',
        arguments: {},
        inputResponses: { [key]: NAME },
        requestState: asked.json['result'].requestState as unknown,
      },
      options,
    );

  it('carry a call through its rounds', async () => {
    const first = await call(await next(), 'shared_twice', {}, options);
    const second = await retry(first, 'first');
    const done = await retry(second, 'second');

    expect(Object.keys(second.json['result'].inputRequests as object)).toEqual(['second']);
    expect(done.json['result'].content[0].text).toBe('[{"name":"Ada"},{"name":"Ada"}]');
  });

  it('take a request state once between them', async () => {
    const first = await call(await next(), 'shared_twice', {}, options);
    const replies = [await retry(first, 'first'), await retry(first, 'first')];

    expect(replies.map(({ json }) => (json['error']?.code ?? json['result'].resultType) as unknown)).toEqual([
      'input_required',
      -32602,
    ]);
  });

  it('carry a task from its creation to its end', async () => {
    const created = await call(await next(), 'shared_job', {}, options);
    const taskId = created.json['result'].taskId as string;
    const get = async (): Promise<RawReply['json']> =>
      (await send(await next(), 'tasks/get', { taskId }, options)).json['result'] as RawReply['json'];
    await sleep(30);
    const waiting = await get();
    await send(await next(), 'tasks/update', { taskId, inputResponses: { name: NAME } }, options);
    await sleep(30);
    const done = await get();

    expect(waiting['status']).toBe('input_required');
    expect(done['status']).toBe('completed');
    expect(done['result'].content[0].text).toBe('{"name":"Ada"}');
  });
});
