import { z } from 'zod';
import {
  type Capability,
  CapabilityDefinitionError,
  type CapabilityPolicy,
  createCapabilityRuntime,
  defineCapability as define,
  handleMcpRpc,
  type JsonRpcRequest,
  type JsonRpcResponse,
  RPC_FORBIDDEN,
  RPC_INVALID_PARAMS,
  RPC_INVALID_REQUEST,
  RPC_METHOD_NOT_FOUND,
  toolError,
} from './index.js';

interface AppUser {
  readonly id?: string;
  readonly appRoles: string[];
  readonly permissions: string[];
}

const user: AppUser = { id: 'ann', appRoles: [], permissions: ['documents:read'] };
const stranger: AppUser = { id: 'bob', appRoles: [], permissions: [] };
const asked: string[] = [];
const policy: CapabilityPolicy<AppUser> = {
  userHasPermission: (who, permission) => who.permissions.includes(permission),
  authorize: ({ name }) => {
    asked.push(name);
    return null;
  },
};
const serverInfo = { name: 'library', version: '1.2.3' };
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

let runs = 0;
const reads = { readOnly: true, destructive: false };
const readDocument: Capability<AppUser> = define({
  name: 'read_document',
  description: 'Read one document by slug.',
  inputSchema: z.object({ slug: z.string() }),
  outputSchema: z.object({ title: z.string() }),
  annotations: reads,
  requiredPermission: 'documents:read',
  run: ({ slug }, { user: who }) => {
    runs++;
    return slug === 'gone'
      ? toolError('NOT_FOUND', 'No such document.', { hint: 'List them first.' })
      : { title: `${slug} for ${(who as { id?: string }).id}` };
  },
});
const ask: Capability<AppUser> = define({
  name: 'ask',
  description: 'Asks for a name.',
  inputSchema: z.object({}),
  outputSchema: z.string(),
  annotations: reads,
  run: async (_input, context) => {
    context.progress(1);
    const answer = await context.elicit?.({ message: 'Name?', requestedSchema: { type: 'object' } }, 'name');
    return JSON.stringify(answer?.content);
  },
});
const capabilities = [readDocument, ask];

const runtime = createCapabilityRuntime<AppUser>({ policy, serverInfo });
const rpc = (
  method: string,
  params: object = {},
  id: string | number = 1,
): JsonRpcRequest & { readonly id: string | number } => ({ jsonrpc: '2.0', id, method, params });
const handle = (message: unknown, who = user): Promise<JsonRpcResponse | null> =>
  runtime.handleMcpRpc(message, who, capabilities);
const resultOf = (reply: JsonRpcResponse | null): Record<string, unknown> => {
  if (reply === null || !('result' in reply)) throw new Error(JSON.stringify(reply));
  return reply.result as Record<string, unknown>;
};

beforeEach(() => {
  runs = 0;
  asked.length = 0;
});

describe('a malformed message', () => {
  it.each([
    ['null', null],
    ['nothing', undefined],
    ['a string', 'tools/list'],
    ['an empty batch', []],
    ['a batch', [rpc('ping')]],
    ['a message without jsonrpc', { id: 1, method: 'ping' }],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['an id of null', { jsonrpc: '2.0', id: null, method: 'tools/list' }],
    ['a method that is no string', { jsonrpc: '2.0', id: 1, method: {} }],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }],
    ['an answer nobody waits for', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('%s is an invalid request, with and without a caller', async (_, message) => {
    for (const who of [user, null as never]) {
      const reply = await handle(message, who);
      expect(reply).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) as number } });
      expect(reply).not.toHaveProperty('result');
    }
    expect(await handle(message)).toMatchObject({ error: { code: RPC_INVALID_REQUEST } });
  });
});

describe('handleMcpRpc', () => {
  it('serves both protocol eras', async () => {
    const opened = await handle(
      rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }),
    );
    const discovered = await handle(rpc('server/discover', { _meta: MODERN }));
    const listed = await handle(rpc('tools/list', {}, 'a'));

    expect(resultOf(opened)).toMatchObject({ protocolVersion: '2025-11-25', serverInfo });
    expect(resultOf(discovered)).toMatchObject({ supportedVersions: ['2026-07-28'] });
    expect(listed).toMatchObject({ jsonrpc: '2.0', id: 'a' });
    expect((resultOf(listed)['tools'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'ask',
      'read_document',
    ]);
  });

  it('runs a tool under the rules of its user', async () => {
    const call = (who: AppUser, slug: unknown = 'a') =>
      handle(rpc('tools/call', { name: 'read_document', arguments: { slug } }), who);

    expect(resultOf(await call(user))).toMatchObject({ structuredContent: { title: 'a for ann' } });
    expect(asked).toEqual(['read_document']);
    expect(resultOf(await call(user, 7))).toMatchObject({ isError: true });
    expect(resultOf(await call(user, 'gone'))).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'No such document. — List them first.' }],
    });
    runs = 0;
    expect(resultOf(await call(stranger))).toMatchObject({ isError: true });
    expect(resultOf(await handle(rpc('tools/list'), stranger))['tools']).toHaveLength(1);
    expect(runs).toBe(0);
  });

  it('answers unknown tools and methods as protocol errors', async () => {
    expect(await handle(rpc('tools/call', { name: 'nope' }))).toMatchObject({
      error: { code: RPC_INVALID_PARAMS },
    });
    expect(await handle(rpc('nope'))).toMatchObject({ error: { code: RPC_METHOD_NOT_FOUND } });
  });

  it('runs nothing for a notification, which has no answer', async () => {
    const { id, ...notification } = rpc('tools/call', { name: 'read_document', arguments: { slug: 'a' } });
    void id;
    expect(await handle(notification)).toBeNull();
    expect(await handle({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeNull();
    expect(runs).toBe(0);
  });

  it('refuses a caller that is not there', async () => {
    const call = rpc('tools/call', { name: 'ask' });
    expect(await handle(call, null as never)).toMatchObject({ id: 1, error: { code: RPC_FORBIDDEN } });
    expect(await handle({ jsonrpc: '2.0', method: 'tools/call' }, undefined as never)).toBeNull();
  });

  it('takes its options unbound as well, and a list that has changed', async () => {
    const options = { policy, serverInfo };
    const list = [readDocument];
    const names = async (): Promise<string[]> => {
      const listed = await handleMcpRpc(rpc('tools/list'), user, list, options);
      return (resultOf(listed)['tools'] as { name: string }[]).map(({ name }) => name);
    };
    expect(await names()).toEqual(['read_document']);
    list.push(ask);
    expect(await names()).toEqual(['ask', 'read_document']);
  });

  it('refuses capabilities that share a name, and a short secret', async () => {
    const twice = [readDocument, readDocument];
    await expect(runtime.handleMcpRpc(rpc('ping'), user, twice)).rejects.toBeInstanceOf(
      CapabilityDefinitionError,
    );
    expect(() => createCapabilityRuntime({ policy, serverInfo, secret: 'short' })).toThrow(TypeError);
  });

  it('hands progress to whoever listens', async () => {
    const told: JsonRpcRequest[] = [];
    const message = rpc('tools/call', { name: 'ask', _meta: { ...MODERN, progressToken: 7 } });
    await runtime.handleMcpRpc(message, user, capabilities, {
      onNotification: (notification) => told.push(notification),
    });
    expect(told).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
    ]);
  });

  it('cancels with the signal of the call', async () => {
    const controller = new AbortController();
    controller.abort();
    const message = rpc('tools/call', { name: 'read_document', arguments: { slug: 'a' } });
    const reply = await runtime.handleMcpRpc(message, user, capabilities, { signal: controller.signal });
    expect(runs).toBe(0);
    expect(reply).not.toHaveProperty('result.structuredContent');
  });
});

describe('a question to the client', () => {
  const question = (who: AppUser): Promise<JsonRpcResponse | null> =>
    handle(rpc('tools/call', { name: 'ask', _meta: MODERN }), who);
  const answer = (state: unknown, who: AppUser, list = capabilities): Promise<JsonRpcResponse | null> =>
    runtime.handleMcpRpc(
      rpc('tools/call', {
        name: 'ask',
        _meta: MODERN,
        requestState: state,
        inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } },
      }),
      who,
      list,
    );

  it('is answered by another call of the same user, once, also over another list', async () => {
    const { requestState, resultType } = resultOf(await question(user));
    const done = resultOf(await answer(requestState, { ...user }, [ask]));
    expect(resultType).toBe('input_required');
    expect(done['structuredContent']).toBe('{"name":"Ada"}');
    expect(await answer(requestState, user)).toMatchObject({ error: { code: RPC_INVALID_PARAMS } });
  });

  it('is not answered by another user, with or without an id', async () => {
    const nameless = { appRoles: [], permissions: [] };
    for (const [who, other] of [
      [user, stranger],
      [nameless, { ...nameless }],
    ] as const) {
      const { requestState } = resultOf(await question(who));
      expect(await answer(requestState, other)).toMatchObject({ error: { code: RPC_INVALID_PARAMS } });
      expect(resultOf(await answer(requestState, who))['resultType']).toBe('complete');
    }
  });
});
