import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ADAPTERS } from '../../src/http-app.js';
import {
  firstClient,
  type McpSession,
  type OpenSession,
  secondClient,
  type ToolResult,
} from '../cases/drivers/mcp-session.js';
import { complaints, runScript } from '../mcp/support/run-script.js';
import { validInput, type InputSchema } from '../support/valid-input.js';
import { RunningDesk } from './running-desk.js';

const CLIENTS: readonly (readonly [string, OpenSession])[] = [
  ['version 2 in the stateless era', secondClient({ pin: '2026-07-28' })],
  ['version 2 with initialize', secondClient('legacy')],
  ['version 1', firstClient],
];
const MANAGER = 'mia';
/** Acts for the manager; a model drives it. */
const ASSISTANT = 'bot';
const VIEWER = 'vic';
const AGENT = 'ada';
const REFUND = { orderId: 'ord_1001', amount: 500, reason: 'Damaged in transit' };

const toolOf = (capability: string): string => capability.replaceAll('.', '_');
const textOf = ({ content }: ToolResult): string => content.map(({ text }) => text as string).join('\n');
const errorOf = ({ _meta }: ToolResult) => _meta?.['nest-capabilities/error'];
const waitingOf = ({ structuredContent }: ToolResult) =>
  structuredContent as { status: string; approvalId: string; links: Record<string, string> };

describe.each(ADAPTERS)('the demo over MCP on %s', (adapter) => {
  let desk: RunningDesk;
  let endpoint: string;

  beforeAll(async () => {
    desk = await RunningDesk.start(adapter);
    endpoint = `${desk.url}/mcp`;
  });
  beforeEach(() => desk.data.seed());
  afterAll(() => desk?.close());

  const exposed = () =>
    desk.registry.exposedOn('mcp').map(({ name, annotations, input }) => ({
      name,
      readOnly: annotations.readOnly,
      input: validInput(input.exact as InputSchema) as Record<string, unknown>,
    }));

  /** The person decides with a login of their own, which the model does not have. */
  async function decide(who: string, approvalId: string): Promise<void> {
    const token = await desk.mint(who);
    const response = await fetch(`${desk.url}/approvals/${approvalId}/decision`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ decision: 'approve' }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  }

  describe.each(CLIENTS)('by a client of %s', (_name, open) => {
    const sessions = new Map<string, McpSession>();
    const as = async (who: string): Promise<McpSession> => {
      const session = sessions.get(who) ?? (await open(endpoint, desk.token(who)));
      sessions.set(who, session);
      return session;
    };

    it('lists what each identity may call, and nothing that is not exposed', async () => {
      const names = async (who: string) => (await (await as(who)).tools()).map(({ name }) => name);
      expect(await names(MANAGER)).toEqual(
        exposed()
          .map(({ name }) => toolOf(name))
          .sort(),
      );
      expect(await names(VIEWER)).toEqual(['desk_openingHours', 'documents_search']);
      expect(await names(AGENT)).not.toContain('orders_reprice');
      expect(await names(MANAGER)).not.toContain('customers_export');
    });

    it('calls every capability: reads run, everything else once its person has confirmed it', async () => {
      const manager = await as(MANAGER);
      for (const { name, readOnly, input } of exposed()) {
        desk.data.seed();
        const before = JSON.stringify([...desk.data.orders, ...desk.data.customers, desk.data.outbox]);
        const first = await manager.call(toolOf(name), input);
        if (readOnly) {
          expect([name, first.isError ?? false, textOf(first)]).toEqual([name, false, expect.any(String)]);
          continue;
        }
        const { status, approvalId } = waitingOf(first);
        expect([name, status]).toEqual([name, 'approval_required']);
        expect(textOf(first)).toContain(approvalId);
        expect(JSON.stringify([...desk.data.orders, ...desk.data.customers, desk.data.outbox])).toBe(before);
        await decide(MANAGER, approvalId);
        const second = await manager.call(toolOf(name), input);
        expect([name, second.isError ?? false, textOf(second)]).toEqual([name, false, expect.any(String)]);
        expect(waitingOf(second)?.status).not.toBe('approval_required');
      }
    });

    it('names where a person decides, as a URL', async () => {
      const { links, approvalId } = waitingOf(await (await as(ASSISTANT)).call('orders_refund', REFUND));
      expect(links['decision']).toBe(`${desk.url}/approvals/${approvalId}/page`);
      expect(desk.data.orders.get('ord_1001')?.refunded).toBe(0);
    });

    it('tells what is wrong with the input', async () => {
      const bad = await (await as(MANAGER)).call('orders_find', { orderId: 7 });
      const unknown = await (await as(MANAGER)).call('orders_find', { orderId: 'ord_1001', colour: 'red' });
      expect([bad.isError, errorOf(bad)?.field, textOf(bad)]).toEqual([
        true,
        'orderId',
        expect.stringContaining('orderId'),
      ]);
      expect([unknown.isError, errorOf(unknown)?.field]).toEqual([true, 'colour']);
    });

    it('answers unknown, unexposed and hidden tools alike', async () => {
      const answers: unknown[] = [];
      for (const name of ['nope_nope', 'customers_export', 'orders_reprice', 'orders.find']) {
        answers.push(
          await (
            await as(AGENT)
          )
            .call(name, { percent: 5 })
            .catch(({ code, message }: Error & { code: number }) => ({
              code,
              message,
            })),
        );
      }
      expect(answers).toEqual(answers.map(() => answers[0]));
      expect(answers[0]).toMatchObject({ code: -32602 });
    });

    it('denies before any input is looked at', async () => {
      const denied = await (await as(VIEWER)).call('orders_find', { bogus: 1 });
      expect([denied.isError, errorOf(denied)?.reason]).toEqual([true, 'FORBIDDEN']);
      expect(textOf(denied)).not.toMatch(/bogus|orderId/);
    });

    it('tells a declared failure with its fix', async () => {
      const manager = await as(MANAGER);
      const tooMuch = { ...REFUND, orderId: 'ord_1002', amount: 9_999 };
      await decide(MANAGER, waitingOf(await manager.call('orders_refund', tooMuch)).approvalId);
      const refused = await manager.call('orders_refund', tooMuch);
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toContain('Refund at most the refundable amount');
      expect(errorOf(refused)?.failure).toMatchObject({ tag: 'NotRefundable', refundable: 4_990 });
    });

    it('masks a fault', async () => {
      const kept = Object.getOwnPropertyDescriptor(desk.data, 'orders')!;
      const get = (): never => {
        throw new Error('connect ECONNREFUSED postgres://desk:S3CRET@10.0.0.5/desk');
      };
      Object.defineProperty(desk.data, 'orders', { get, configurable: true });
      const failed = await (await as(MANAGER)).call('orders_find', { orderId: 'ord_1001' });
      Object.defineProperty(desk.data, 'orders', kept);
      expect([failed.isError, errorOf(failed)?.reason]).toEqual([true, 'INTERNAL']);
      expect(JSON.stringify(failed)).not.toMatch(/S3CRET|ECONNREFUSED/);
    });

    it('redacts by principal and keeps tenants apart', async () => {
      const agent = await (await as(AGENT)).call('customers_find', { customerId: 'cus_1' });
      const manager = await (await as(MANAGER)).call('customers_find', { customerId: 'cus_1' });
      const other = await (await as('sol')).call('orders_find', { orderId: 'ord_1001' });
      expect(agent.structuredContent).toMatchObject({ email: 'g***@example.com' });
      expect(manager.structuredContent).toMatchObject({ email: 'grace@example.com' });
      expect(JSON.stringify(manager)).not.toMatch(/passwordHash|never-leaves/);
      expect(errorOf(other)?.message).toBe('order ord_1001 not found');
    });
  });

  describe('for a client that can send its person to a page', () => {
    const connect = async (mode: 'legacy' | { pin: string }, asked: string[]): Promise<Client> => {
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode } },
      );
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const { url } = params as { url: string };
        asked.push(url);
        await decide(MANAGER, url.split('/').at(-2)!);
        return { action: 'accept' };
      });
      const headers = { authorization: `Bearer ${desk.token(ASSISTANT)}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers } }),
      );
      return client;
    };
    const page = (): string => `${desk.url}/approvals/`;

    it('runs the call in one go once the page was visited', async () => {
      const asked: string[] = [];
      const client = await connect({ pin: '2026-07-28' }, asked);
      const done = await client.callTool({ name: 'orders_refund', arguments: REFUND });
      await client.close();

      expect(asked).toEqual([expect.stringMatching(/\/page$/)]);
      expect(asked[0]).toContain(page());
      expect(done.structuredContent).toEqual({ orderId: 'ord_1001', refunded: 500, remaining: 12_000 });
    });

    it('tells a client of earlier revisions to come back', async () => {
      const client = await connect('legacy', []);
      const refused = await client.callTool({ name: 'orders_refund', arguments: REFUND }).then(
        () => undefined,
        (error: { code: number; data: { elicitations: { url: string; elicitationId: string }[] } }) => error,
      );
      const [elicitation] = refused?.data.elicitations ?? [];
      expect([refused?.code, elicitation?.url]).toEqual([-32042, expect.stringContaining(page())]);
      await decide(MANAGER, elicitation!.elicitationId);
      const done = await client.callTool({ name: 'orders_refund', arguments: REFUND });
      await client.close();
      expect(done.structuredContent).toMatchObject({ refunded: 500 });
    });
  });

  it('answers every probe of the protocol', async () => {
    const run = await runScript('probe-matrix.mjs', [
      endpoint,
      '--tool',
      'desk_openingHours',
      '--token',
      desk.token(MANAGER),
    ]);
    expect(complaints(run)).toEqual([]);
    expect(run.output).toContain('MUST: 42 ok, 0 failed | SHOULD: 9 ok, 0 failed | SDK: 6 ok, 0 failed');
    expect(run.code).toBe(0);
  }, 30_000);

  it('answers every probe of a protected resource', async () => {
    const scope = 'orders:read documents:read';
    const run = await runScript('probe-auth.mjs', [
      endpoint,
      '--good',
      desk.token(MANAGER),
      '--low',
      await desk.mint(MANAGER, { scope }),
      '--expired',
      await desk.mint(MANAGER, { exp: 1_700_000_000 }),
      '--wrong-aud',
      await desk.mint(MANAGER, { aud: 'https://elsewhere.example/mcp' }),
      '--scoped-tool',
      'orders_refund',
      '--scope',
      'orders:write',
    ]);
    expect(complaints(run)).toEqual([]);
    expect(run.output.match(/^ok /gm)?.length).toBeGreaterThanOrEqual(23);
    expect(run.code).toBe(0);
  });
});
