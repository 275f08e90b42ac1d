import { setTimeout as sleep } from 'node:timers/promises';
import { Capability, CapabilityHost, type HandlerContext } from 'nest-capabilities';
import { CapabilityResource, McpNotifier, type ResourceOutput } from 'nest-capabilities/mcp';
import { z } from 'zod';
import { ADAPTERS } from './fixture/fixture-app.js';
import { call, OpenStream, send } from './support/raw-client.js';
import { startTokenApp, type TokenApp } from './support/token-app.js';

const Note = z.object({ text: z.string().optional() });
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const FORM = { elicitation: {} };
const ACCEPT = { action: 'accept', content: { ok: true } };

@CapabilityHost({ namespace: 'vault', expose: ['mcp'], risk: 'low', permission: 'vault:read' })
class Vault {
  @Capability.read({ description: 'Asks before it answers.', inputSchema: Note })
  async confirm({ text = '' }: z.output<typeof Note>, ctx: HandlerContext): Promise<string> {
    await ctx.elicit?.({ message: 'Really?', requestedSchema: { type: 'object', properties: {} } }, 'ok');
    return `Confirmed ${text}`;
  }

  @Capability.write({
    description: 'Asks before it writes.',
    inputSchema: Note,
    approval: { required: false },
  })
  async write(_input: z.output<typeof Note>, ctx: HandlerContext): Promise<string> {
    const answer = await ctx.elicit?.({ message: 'Write?', requestedSchema: { type: 'object' } }, 'ok');
    return `Written: ${answer?.action}`;
  }

  @Capability.read({
    description: 'Runs as a task.',
    inputSchema: Note,
    mcp: { task: 'optional' },
  })
  async slow(_input: z.output<typeof Note>, ctx: HandlerContext): Promise<string> {
    await ctx.elicit?.({ message: 'Go on?', requestedSchema: { type: 'object' } }, 'ok');
    return 'A secret result';
  }

  @CapabilityResource({
    name: 'vault.state',
    uri: 'vault://state',
    description: 'The state.',
    subscribe: true,
  })
  state(): ResourceOutput {
    return 'open';
  }
}

describe.each(ADAPTERS)('handles of one user presented by another, on %s', (adapter) => {
  let server: TokenApp;
  let alice: string;
  let mallory: string;

  beforeAll(async () => {
    server = await startTokenApp({ adapter, providers: [Vault] });
    alice = await server.issue('alice', 'vault:read');
    mallory = await server.issue('mallory', 'vault:read');
  });
  afterAll(() => server.app.close());

  const ask = (tool: string, args: object = {}) =>
    call(server.url, tool, args, { token: alice, capabilities: FORM });
  const answer = (state: unknown, over: { token?: string; tool?: string; args?: object } = {}) =>
    send(
      server.url,
      'tools/call',
      {
        name: over.tool ?? 'vault_confirm',
        arguments: over.args ?? { text: 'a' },
        inputResponses: { ok: ACCEPT },
        requestState: state,
      },
      { token: over.token ?? alice, capabilities: FORM, id: 2 },
    );
  const stateOf = async (): Promise<string> =>
    (await ask('vault_confirm', { text: 'a' })).json['result'].requestState as string;

  it('takes a request state from its own principal, once', async () => {
    const state = await stateOf();
    const first = await answer(state);
    const again = await answer(state);

    expect(first.json['result'].structuredContent).toBe('Confirmed a');
    expect(again.json['error'].code).toBe(-32602);
  });

  it('refuses a request state of another user (SI-30)', async () => {
    const reply = await answer(await stateOf(), { token: mallory });

    expect(reply.json['error'].code).toBe(-32602);
    expect(reply.json['result']).toBeUndefined();
  });

  it('refuses a request state with other arguments, for another tool, or changed', async () => {
    const state = await stateOf();
    const replies = [
      await answer(state, { args: { text: 'b' } }),
      await answer(state, { tool: 'vault_write' }),
      await answer(`${state}0`),
      await answer(`${Buffer.from('{"k":["ok"]}').toString('base64url')}.${state.split('.')[1]}`),
      await answer(42),
    ];

    expect(replies.map((reply) => reply.json['error']?.code as unknown)).toEqual([
      -32602, -32602, -32602, -32602, -32602,
    ]);
  });

  it('asks before a write even when the answer came unasked', async () => {
    const reply = await send(
      server.url,
      'tools/call',
      { name: 'vault_write', arguments: {}, inputResponses: { ok: ACCEPT } },
      { token: alice, capabilities: FORM },
    );

    expect(reply.json['result'].resultType).toBe('input_required');
  });

  it('shows a task to its owner alone (SI-30)', async () => {
    const options = { token: alice, capabilities: { ...TASKS, ...FORM } };
    const created = await call(server.url, 'vault_slow', {}, options);
    const taskId = created.json['result'].taskId as string;
    const foreign = { ...options, token: mallory };
    const attempts = [
      await send(server.url, 'tasks/get', { taskId }, foreign),
      await send(server.url, 'tasks/update', { taskId, inputResponses: { ok: ACCEPT } }, foreign),
      await send(server.url, 'tasks/cancel', { taskId }, foreign),
    ];
    const unknown = await send(server.url, 'tasks/get', { taskId: crypto.randomUUID() }, foreign);
    await sleep(50);
    const own = await send(server.url, 'tasks/get', { taskId }, options);

    for (const attempt of attempts) expect(attempt.json).toEqual(unknown.json);
    expect(unknown.json['error'].code).toBe(-32602);
    expect(own.json['result'].status).toBe('input_required');
  });

  it('does not announce the tasks of others', async () => {
    const options = { token: alice, capabilities: { ...TASKS, ...FORM } };
    const { json } = await call(server.url, 'vault_slow', {}, options);
    const taskId = json['result'].taskId as string;
    const notifications = { taskIds: [taskId], toolsListChanged: true };
    const foreign = await OpenStream.open(
      server.url,
      'subscriptions/listen',
      { notifications },
      { ...options, token: mallory },
    );
    const own = await OpenStream.open(server.url, 'subscriptions/listen', { notifications }, options);

    expect((await foreign.next())?.['params'].notifications).toEqual({ toolsListChanged: true });
    expect((await own.next())?.['params'].notifications).toEqual(notifications);
    await send(server.url, 'tasks/cancel', { taskId }, options);
    const told = await own.next();
    expect(told?.['method']).toBe('notifications/tasks');
    expect(told?.['params']).toMatchObject({ taskId, status: 'cancelled' });
    own.close();
    foreign.close();
  });

  it('subscribes to a resource only whoever may read it', async () => {
    const notifications = { resourceSubscriptions: ['vault://state', 'vault://other'] };
    const nobody = await server.issue('nobody', 'other:scope');
    const blind = await OpenStream.open(
      server.url,
      'subscriptions/listen',
      { notifications },
      { token: nobody },
    );
    const seeing = await OpenStream.open(
      server.url,
      'subscriptions/listen',
      { notifications },
      { token: alice },
    );

    expect((await blind.next())?.['params'].notifications).toEqual({});
    expect((await seeing.next())?.['params'].notifications).toEqual({
      resourceSubscriptions: ['vault://state'],
    });
    await server.app.get(McpNotifier, { strict: false }).resourceUpdated('vault://state');
    expect(await seeing.next()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'vault://state' },
    });
    blind.close();
    seeing.close();
  });

  it('answers a foreign or forged session like one that has ended', async () => {
    const opened = await send(
      server.url,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: FORM, clientInfo: { name: 't', version: '1' } },
      { token: alice, era: 'legacy' },
    );
    const session = opened.headers.get('mcp-session-id') ?? '';
    const list = (token: string, id: string) =>
      send(server.url, 'tools/list', {}, { token, era: 'legacy', headers: { 'mcp-session-id': id } });

    expect(session).toMatch(/^[\x21-\x7e]+$/);
    expect((await list(alice, session)).status).toBe(200);
    expect((await list(mallory, session)).status).toBe(404);
    expect((await list(alice, `${session}0`)).status).toBe(404);
  });

  it('takes the answer to a question from its own principal alone', async () => {
    const opened = await send(
      server.url,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: FORM, clientInfo: { name: 't', version: '1' } },
      { token: alice, era: 'legacy' },
    );
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const stream = await OpenStream.open(
      server.url,
      'tools/call',
      { name: 'vault_confirm', arguments: { text: 'x' } },
      { token: alice, era: 'legacy', headers },
    );
    const question = await stream.next();
    const reply = (token: string, own: Readonly<Record<string, string>>) =>
      fetch(server.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': '2025-11-25',
          authorization: `Bearer ${token}`,
          ...own,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: question?.['id'] as string, result: ACCEPT }),
      });

    expect(question?.['method']).toBe('elicitation/create');
    expect((await reply(mallory, {})).status).toBe(400);
    expect((await reply(alice, headers)).status).toBe(202);
    expect((await stream.next())?.['result'].structuredContent).toEqual({ result: 'Confirmed x' });
  });

  it('answers a client without the capability at once', async () => {
    const reply = await call(server.url, 'vault_confirm', {}, { token: alice, era: 'legacy' });

    expect(reply.json['result'].isError).toBe(true);
    expect(reply.json['result'].content[0].text).toContain('did not declare elicitation');
  });
});
