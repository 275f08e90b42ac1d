import { AuditRecorder } from '../audit/audit-recorder.js';
import { CapabilityRunner } from '../execution/capability-runner.js';
import { SystemClock } from '../kernel/clock.js';
import { ANONYMOUS } from '../kernel/principal.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { z } from 'zod';
import { buildDefinition } from '../registry/build-definition.js';
import { CapabilityRegistry } from '../registry/capability-registry.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import { createRpcHandler, type RpcHandler } from './rpc-handler.js';
import { META } from './versions.js';

const ENVELOPE = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };

function definition(): CapabilityDefinition {
  const { definition: built, problems } = buildDefinition(
    {
      options: {
        name: 'notes.find',
        description: 'Finds a note.',
        sideEffect: 'read',
        risk: 'low',
        permission: null,
        expose: ['mcp'],
        inputSchema: z.object({ id: z.string() }),
      },
      source: { className: 'Notes', methodName: 'find', moduleName: undefined },
      paramTypes: undefined,
      paramCount: 1,
    },
    {
      compiler: new SchemaCompiler(),
      handler: {
        guard: undefined,
        invoke: (input, context) => {
          context.progress(1);
          return { found: (input as { id: string }).id };
        },
      },
    },
  );
  if (built === undefined) throw new Error(JSON.stringify(problems));
  return built;
}

describe('createRpcHandler', () => {
  let handle: RpcHandler;
  let faults: unknown[];

  beforeEach(() => {
    faults = [];
    const registry = new CapabilityRegistry();
    registry.seal([definition()]);
    const runner = new CapabilityRunner(registry, {
      policy: undefined,
      policies: [],
      policyTimeoutMs: 1000,
      principals: undefined,
      context: undefined,
      recorder: new AuditRecorder([], () => undefined),
      hooks: [],
      telemetry: undefined,
      limits: undefined,
      governance: undefined,
      clock: new SystemClock(),
      logger: { error: () => undefined, warn: () => undefined },
    });
    handle = createRpcHandler({
      runner,
      info: { name: 'test', version: '1' },
      onFault: (error) => faults.push(error),
    });
  });

  const send = (message: unknown, onNotification?: (message: unknown) => void): Promise<unknown> =>
    handle(message, { principal: ANONYMOUS, ...(onNotification === undefined ? {} : { onNotification }) });

  it.each([
    null,
    undefined,
    'text',
    7,
    [],
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
    {},
    { id: 1, method: 'ping' },
    { jsonrpc: '1.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: null, method: 'ping' },
    { jsonrpc: '2.0', id: 1.5, method: 'ping' },
    { jsonrpc: '2.0', id: 1, method: 7 },
    { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
    { jsonrpc: '2.0', id: 1 },
  ])('answers %j as an invalid request', async (message) => {
    expect(await send(message)).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
    expect(faults).toEqual([]);
  });

  it('calls a tool in both eras', async () => {
    const params = { name: 'notes_find', arguments: { id: '7' } };
    const legacy = await send({ jsonrpc: '2.0', id: 0, method: 'tools/call', params });
    const modern = await send({
      jsonrpc: '2.0',
      id: '',
      method: 'tools/call',
      params: { ...params, _meta: ENVELOPE },
    });

    expect(legacy).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result: { content: [{ type: 'text', text: '{"found":"7"}' }], structuredContent: { found: '7' } },
    });
    expect(modern).toMatchObject({
      id: '',
      result: { resultType: 'complete', _meta: { [META.serverInfo]: { name: 'test', version: '1' } } },
    });
  });

  it('hands progress to whoever wants it, and still answers', async () => {
    const told: unknown[] = [];
    const params = { name: 'notes_find', arguments: { id: '7' }, _meta: { ...ENVELOPE, progressToken: 'p' } };
    const reply = await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, (message) =>
      told.push(message),
    );

    expect(told).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
    ]);
    expect(reply).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  });

  it('answers a notification with nothing and does not listen without a listener', async () => {
    expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeNull();
    expect(await send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'notes_find' } })).toBeNull();
    const params = { notifications: {}, _meta: ENVELOPE };
    expect(await send({ jsonrpc: '2.0', id: 3, method: 'subscriptions/listen', params })).toMatchObject({
      id: 3,
      error: { code: -32601 },
    });
  });
});
