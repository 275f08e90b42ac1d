import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoProcess } from '../demo/demo-process.js';

interface Turn {
  readonly conversation: string;
  readonly status: string;
  readonly text: string;
  readonly waiting: readonly { readonly approval: { readonly approvalId: string } }[];
}

async function post(demo: DemoProcess, path: string, body: object): Promise<string> {
  const response = await fetch(`${demo.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${demo.token('mia')}`,
      connection: 'close',
    },
    body: JSON.stringify(body),
  });
  return response.text();
}

async function chat(demo: DemoProcess, body: object): Promise<Turn> {
  const text = await post(demo, '/assistant/messages', body);
  const last = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1];
  return (JSON.parse(last ?? '{}') as { turn: Turn }).turn;
}

describe('a conversation over three processes', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assistant-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function during<T>(work: (demo: DemoProcess) => Promise<T>): Promise<T> {
    const demo = await DemoProcess.start('express', { DESK_DATA: folder });
    try {
      return await work(demo);
    } finally {
      await demo.stop();
    }
  }

  it('asks in one, is decided in the next, and goes on in the last', async () => {
    const input = JSON.stringify({ orderId: 'ord_1001', amount: 500, reason: 'Damaged in transit' });
    const messages = [{ role: 'user', content: `orders_refund ${input}` }];
    const asked = await during((demo) => chat(demo, { messages }));
    expect(asked.status).toBe('suspended');
    const { conversation, waiting } = asked;
    await during(async (demo) => {
      expect((await chat(demo, { conversation })).status).toBe('suspended');
      await post(demo, `/approvals/${waiting[0]!.approval.approvalId}/decision`, { decision: 'approve' });
    });
    await during(async (demo) => {
      const resumed = await chat(demo, { conversation });
      expect(resumed).toMatchObject({ status: 'completed', text: expect.stringContaining('"refunded":500') });
    });
  }, 120_000);
});
