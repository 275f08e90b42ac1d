import { ApprovalService, Capability, CapabilityHost, type Principal } from 'nest-capabilities';
import { ApprovalResumeTool, McpSurfaceModule } from 'nest-capabilities/mcp';
import { z } from 'zod';
import { ADAPTERS } from './fixture/fixture-app.js';
import { call, OpenStream, send } from './support/raw-client.js';
import { startTokenApp, type TokenApp } from './support/token-app.js';

const Refund = z.object({ order: z.string() });
const FORM = { elicitation: {} };
const accept = (approve: boolean): object => ({ action: 'accept', content: { approve } });

let refunded: string[] = [];

@CapabilityHost({ namespace: 'refunds', expose: ['mcp'], risk: 'high', permission: 'refunds:write' })
class Refunds {
  @Capability.write({ description: 'Refunds an order.', inputSchema: Refund })
  issue({ order }: z.output<typeof Refund>): string {
    refunded.push(order);
    return `Refunded ${order}.`;
  }

  @Capability.write({
    description: 'Refunds an order of somebody else.',
    inputSchema: Refund,
    approval: { required: true, by: 'another' },
  })
  large({ order }: z.output<typeof Refund>): string {
    refunded.push(order);
    return `Refunded ${order}.`;
  }
}

describe.each(ADAPTERS)('approvals over MCP on %s', (adapter) => {
  let server: TokenApp;
  let forms: string;
  let alice: string;
  let mallory: string;

  beforeAll(async () => {
    server = await startTokenApp({
      adapter,
      providers: [Refunds, ApprovalResumeTool],
      imports: () => [McpSurfaceModule.forRoot({ path: '/forms', version: '1.0.0', approvalForms: true })],
    });
    forms = new URL('/forms', server.url).href;
    alice = await server.issue('alice', 'refunds:write');
    mallory = await server.issue('mallory', 'refunds:write');
    // A decider must be known when the approved call runs.
    await send(server.url, 'tools/list', {}, { token: await server.issue('bob', 'approvals:decide') });
  });
  afterAll(() => server.app.close());
  beforeEach(() => {
    refunded = [];
  });

  const approvals = (): ApprovalService => server.app.get(ApprovalService, { strict: false });
  const principal = (id: string, permissions: readonly string[] = []): Principal => ({
    id,
    kind: 'user',
    user: { id, permissions },
    credentialId: `session-of-${id}`,
    tenant: 'default',
    human: id,
    permissions: [],
    roles: [],
    scopes: undefined,
    grants: {},
    attributes: {},
    authTime: undefined,
  });
  const pending = async (tool: string, order: string): Promise<string> => {
    const { json } = await call(server.url, tool, { order }, { token: alice });
    return json['result'].structuredContent.approvalId as string;
  };

  it('tells the model that a write waits, once for identical calls, and runs what was approved', async () => {
    const { json } = await call(server.url, 'refunds_issue', { order: 'a' }, { token: alice });
    const { approvalId, status } = json['result'].structuredContent as { approvalId: string; status: string };

    expect(status).toBe('approval_required');
    expect(json['result'].content[0].text).toContain(approvalId);
    expect(await pending('refunds_issue', 'a')).toBe(approvalId);
    expect(refunded).toEqual([]);

    await approvals().decide(principal('alice'), approvalId, { decision: 'approve' });
    const other = await call(server.url, 'refunds_issue', { order: 'a' }, { token: mallory });
    const done = await call(server.url, 'refunds_issue', { order: 'a' }, { token: alice });

    expect(other.json['result'].structuredContent.status).toBe('approval_required');
    expect(done.json['result'].content[0].text).toBe('Refunded a.');
    expect(refunded).toEqual(['a']);
    expect(await pending('refunds_issue', 'a')).not.toBe(approvalId);
  });

  it('runs an approved call by the resume tool, for its requester alone', async () => {
    const approvalId = await pending('refunds_large', 'b');
    const resume = (token: string, era: 'modern' | 'legacy' = 'modern') =>
      call(server.url, 'approvals_execute', { approvalId }, { token, era });
    const early = await resume(alice);
    await approvals().decide(principal('bob', ['approvals:decide']), approvalId, { decision: 'approve' });
    const foreign = await resume(mallory, 'legacy');
    const done = await resume(alice, 'legacy');

    expect(early.json['result'].isError).toBe(true);
    expect(early.json['result'].content[0].text).toContain('still waits');
    expect(foreign.json['result'].isError).toBe(true);
    expect(foreign.json['result'].content[0].text).toContain('No such approval');
    expect(done.json['result'].content[0].text).toBe('Refunded b.');
    expect(refunded).toEqual(['b']);
  });

  describe('by a form in the client, where the endpoint opted in', () => {
    const ask = (tool: string, order: string) =>
      call(forms, tool, { order }, { token: alice, capabilities: FORM });
    const answer = (
      order: string,
      asked: { requestState: string; inputRequests: object },
      response: object,
      token = alice,
    ) => {
      const [key = ''] = Object.keys(asked.inputRequests);
      const params = {
        name: 'refunds_issue',
        arguments: { order },
        inputResponses: { [key]: response },
        requestState: asked.requestState,
      };
      return send(forms, 'tools/call', params, { token, capabilities: FORM });
    };

    it('runs what its principal confirms, once', async () => {
      const asked = (await ask('refunds_issue', 'c')).json['result'];
      const stolen = await answer('c', asked, accept(true), mallory);
      const done = await answer('c', asked, accept(true));
      const again = await answer('c', asked, accept(true));

      expect(asked.resultType).toBe('input_required');
      expect(JSON.stringify(asked.inputRequests)).toContain('approve');
      expect(stolen.json['error'].code).toBe(-32602);
      expect(done.json['result'].content[0].text).toBe('Refunded c.');
      expect(again.json['error'].code).toBe(-32602);
      expect(refunded).toEqual(['c']);
    });

    it('runs nothing that its principal declines', async () => {
      const asked = (await ask('refunds_issue', 'd')).json['result'];
      const refused = await answer('d', asked, { action: 'decline' });

      expect(refused.json['result'].isError).toBe(true);
      expect(refused.json['result']._meta['nest-capabilities/error'].reason).toBe('APPROVAL_DENIED');
      expect(refunded).toEqual([]);
    });

    it('never takes a confirmation that was not asked for, or for what others decide', async () => {
      const unasked = await send(
        forms,
        'tools/call',
        { name: 'refunds_issue', arguments: { order: 'e' }, inputResponses: { approval: accept(true) } },
        { token: alice, capabilities: FORM },
      );
      const others = await ask('refunds_large', 'e');

      expect(unasked.json['result'].resultType).toBe('input_required');
      expect(others.json['result'].resultType).toBe('complete');
      expect(others.json['result'].structuredContent.status).toBe('approval_required');
      expect(refunded).toEqual([]);
    });

    it('asks clients of earlier revisions on the open call', async () => {
      const opened = await send(
        forms,
        'initialize',
        { protocolVersion: '2025-11-25', capabilities: FORM, clientInfo: { name: 't', version: '1' } },
        { token: alice, era: 'legacy' },
      );
      const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const params = { name: 'refunds_issue', arguments: { order: 'f' } };
      const stream = await OpenStream.open(forms, 'tools/call', params, {
        token: alice,
        era: 'legacy',
        headers,
      });
      const question = await stream.next();
      await fetch(forms, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${alice}`, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: question?.['id'] as string, result: accept(true) }),
      });

      expect(question?.['method']).toBe('elicitation/create');
      expect((await stream.next())?.['result'].content[0].text).toBe('Refunded f.');
      expect(refunded).toEqual(['f']);
    });
  });
});
