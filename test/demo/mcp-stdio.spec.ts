import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { firstSession, type McpSession, secondSession } from '../cases/drivers/mcp-session.js';

const READS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  customers_find: { customerId: 'cus_1' },
  desk_openingHours: {},
  documents_search: { text: 'refund' },
  orders_estimateRefund: { orderId: 'ord_1001', percent: 50 },
  orders_find: { orderId: 'ord_1001' },
  orders_list: { customerId: 'cus_1' },
};

const program = (who: string) => ({
  command: process.execPath,
  args: ['--no-warnings', join(import.meta.dirname, 'run-stdio.mjs'), '--stdio', who],
  env: { ...(process.env as Record<string, string>), NODE_OPTIONS: '', DESK_DATA: 'memory' },
  stderr: 'ignore' as const,
});

const CLIENTS: readonly (readonly [string, (who: string) => Promise<McpSession>])[] = [
  [
    'version 2 in the stateless era',
    (who) => secondSession({ pin: '2026-07-28' }, new StdioClientTransport(program(who))),
  ],
  ['version 2 with initialize', (who) => secondSession('legacy', new StdioClientTransport(program(who)))],
  ['version 1', (who) => firstSession(new FirstStdio(program(who)))],
];

describe.each(CLIENTS)('the demo over stdio by a client of %s', (_name, open) => {
  let mia: McpSession;

  beforeAll(async () => {
    mia = await open('mia');
  }, 30_000);
  afterAll(() => mia?.close());

  it('lists every capability and calls it as the identity that started it', async () => {
    const tools = (await mia.tools()).map(({ name }) => name);
    expect(tools).toEqual(
      expect.arrayContaining([...Object.keys(READS), 'customers_erase', 'orders_reprice']),
    );
    for (const name of tools) {
      const { isError, structuredContent } = await mia.call(name, READS[name] ?? {});
      // What is not a read was called without its input.
      expect([name, isError ?? false, structuredContent !== undefined]).toEqual([
        name,
        !(name in READS),
        name in READS,
      ]);
    }
  }, 30_000);

  it('tells waiting, unknown and denied calls apart', async () => {
    const refund = { orderId: 'ord_1001', amount: 500, reason: 'Damaged in transit' };
    expect((await mia.call('orders_refund', refund)).structuredContent).toMatchObject({
      status: 'approval_required',
    });
    await expect(mia.call('customers_export', {})).rejects.toMatchObject({ code: -32602 });
    const vic = await open('vic');
    const denied = await vic.call('orders_find', { bogus: 1 });
    await vic.close();
    expect(denied._meta?.['nest-capabilities/error']?.reason).toBe('FORBIDDEN');
  }, 30_000);
});
