import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CapabilitiesModule, Capability, CapabilityHost } from 'nest-capabilities';
import { McpSurfaceModule, MemoryTaskStore } from 'nest-capabilities/mcp';
import { ShiftedClock } from 'nest-capabilities/testing';
import { z } from 'zod';
import { call, type RawOptions, type RawReply, send } from './support/raw-client.js';

const TASKS: RawOptions = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
const TIMEOUT_MS = 20_000;

let finish = (): void => undefined;

@CapabilityHost({ namespace: 'jobs', expose: ['mcp'], risk: 'low', permission: null })
class Jobs {
  @Capability.read({
    description: 'Ends when it is told to.',
    inputSchema: z.object({}),
    timeoutMs: TIMEOUT_MS,
    mcp: { task: 'required' },
  })
  slow(): Promise<string> {
    return new Promise((resolve) => {
      finish = () => resolve('done');
    });
  }
}

describe('a task whose run outlives its deadline on the clock of its store', () => {
  const clock = new ShiftedClock();
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [
        CapabilitiesModule.forRoot({ clock: { useValue: clock } }),
        McpSurfaceModule.forRoot({
          version: '1.0.0',
          anonymous: true,
          taskStore: new MemoryTaskStore(clock),
        }),
      ],
      providers: [Jobs],
    }).compile();
    app = testing.createNestApplication();
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${new URL(await app.getUrl()).port}/mcp`;
  });
  afterAll(() => app.close());

  it('is given up with an unknown outcome, and what comes too late changes nothing', async () => {
    const { json } = await call(url, 'jobs_slow', {}, TASKS);
    const { taskId } = json['result'] as { taskId: string };
    const get = async (): Promise<RawReply['json']> =>
      (await send(url, 'tasks/get', { taskId }, TASKS)).json['result'] as RawReply['json'];
    clock.advance(TIMEOUT_MS);
    const atWork = await get();
    clock.advance(TIMEOUT_MS + 60_000);
    const lost = await get();
    finish();
    await new Promise((resolve) => setImmediate(resolve));

    expect(atWork['status']).toBe('working');
    expect(lost['status']).toBe('failed');
    expect(lost['error']).toMatchObject({ code: -32603, message: expect.stringContaining('unknown') });
    expect((await get())['status']).toBe('failed');
  });
});
