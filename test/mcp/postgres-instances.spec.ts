import { jest } from '@jest/globals';
import { Inject, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  CapabilitiesModule,
  Capability,
  CapabilityHost,
  CapabilityPolicy,
  type HandlerContext,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
  type PrincipalSource,
} from 'nest-capabilities';
import { McpSurfaceModule } from 'nest-capabilities/mcp';
import { RestSurfaceModule } from 'nest-capabilities/rest';
import { fromPgPool, SqlCapabilityStore, SqlSingleUseStore, SqlTaskStore } from 'nest-capabilities/sql';
import { z } from 'zod';
import { TestSchema } from '../stores/postgres.js';
import { postgres, suiteWith } from '../support/services.js';
import { call, type RawOptions, type RawReply, send } from './support/raw-client.js';
import { type RoundRobin, roundRobin } from './support/round-robin.js';

jest.setTimeout(60_000);

const Order = z.object({ order: z.string() });
const QUESTION = { message: 'Why?', requestedSchema: { type: 'object', properties: {} } };
const BECAUSE = { action: 'accept' as const, content: { why: 'broken' } };
const SECRET = 'the same secret of thirty-two bytes on all';
const INSTANCE = Symbol('instance');

/** What took effect, and where. */
let effects: { readonly order: string; readonly instance: string }[] = [];

@CapabilityHost({ namespace: 'refunds', expose: ['mcp'], risk: 'high', permission: 'refunds:write' })
class Refunds {
  constructor(@Inject(INSTANCE) private readonly instance: string) {}

  @Capability.write({
    description: 'Refunds after a question.',
    inputSchema: Order,
    approval: { required: false },
  })
  asked(input: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return this.refund(input.order, ctx);
  }

  @Capability.write({
    description: 'Refunds after the decision of somebody else and a question.',
    inputSchema: Order,
    approval: { required: true, by: 'another' },
  })
  large(input: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return this.refund(input.order, ctx);
  }

  @Capability.write({
    description: 'Refunds as a task, after a question.',
    inputSchema: Order,
    approval: { required: false },
    mcp: { task: 'required' },
  })
  job(input: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return this.refund(input.order, ctx);
  }

  @Capability.read({ description: 'Waits to be stopped.', inputSchema: Order, mcp: { task: 'required' } })
  slow({ order }: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return new Promise((resolve) => {
      ctx.signal.addEventListener('abort', () => {
        effects.push({ order, instance: `stopped on ${this.instance}` });
        resolve('stopped');
      });
    });
  }

  private async refund(order: string, ctx: HandlerContext): Promise<string> {
    const answer = await ctx.elicit?.(QUESTION, 'why');
    effects.push({ order, instance: this.instance });
    return `Refunded ${order}: ${JSON.stringify(answer?.content)}`;
  }
}

const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  alice: ['refunds:write'],
  bob: ['approvals:decide'],
  mallory: ['refunds:write'],
};
const person = (id: string): PrincipalInput | null =>
  id in PERMISSIONS ? { id, kind: 'user', user: { id }, credentialId: `session-${id}` } : null;

/** A token is the name of its user. */
class People extends PrincipalResolver {
  resolve({ token = '' }: PrincipalSource): PrincipalInput | null {
    return person(token);
  }
  override reload({ id }: PrincipalRef): PrincipalInput | null {
    return person(id);
  }
}

class Rules extends CapabilityPolicy {
  userHasPermission(user: unknown, permission: string): boolean {
    return PERMISSIONS[(user as { id: string }).id]?.includes(permission) === true;
  }
}

suiteWith(await postgres(), 'two instances on PostgreSQL behind a proxy without stickiness', () => {
  const TASKS = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const alice: RawOptions = { token: 'alice', capabilities: TASKS };
  const mallory: RawOptions = { ...alice, token: 'mallory' };
  let schema: TestSchema;
  let apps: INestApplication[];
  let proxy: RoundRobin;
  let url: string;

  beforeAll(async () => {
    schema = await TestSchema.create();
    apps = await Promise.all(['one', 'two'].map((instance) => start(instance, schema)));
    const ports = await Promise.all(apps.map(async (app) => Number(new URL(await app.getUrl()).port)));
    proxy = await roundRobin(ports);
    url = `${proxy.url}/mcp`;
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all(apps.map((app) => app.close()));
    await schema.drop();
  });
  beforeEach(() => {
    effects = [];
  });

  const answered = (asked: RawReply, name: string, args: object, options = alice): Promise<RawReply> => {
    const { requestState } = asked.json['result'] as { requestState: string };
    const params = { name, arguments: args, requestState, inputResponses: { why: BECAUSE } };
    return send(url, 'tools/call', params, options);
  };
  const textOf = ({ json }: RawReply): string => json['result'].content[0].text as string;
  const keyed = (key: string): RawOptions => ({
    ...alice,
    meta: { 'nest-capabilities/idempotency-key': key },
  });

  it('serve an official client through a question', async () => {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', () => BECAUSE);
    const before = [...proxy.served];
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: 'Bearer alice' } },
    });
    await client.connect(transport);
    const { content } = await client.callTool({ name: 'refunds_asked', arguments: { order: 'a' } });
    await client.close();

    expect(content).toEqual([{ type: 'text', text: 'Refunded a: {"why":"broken"}' }]);
    expect(effects).toHaveLength(1);
    for (const [index, count] of proxy.served.entries()) expect(count).toBeGreaterThan(before[index]!);
  });

  it('take an answer once, from whoever was asked, under one idempotency key', async () => {
    const args = { order: 'b' };
    const asked = await call(url, 'refunds_asked', args, keyed('key-b'));
    const stolen = await answered(asked, 'refunds_asked', args, mallory);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => answered(asked, 'refunds_asked', args, keyed('key-b'))),
    );
    const replay = await call(url, 'refunds_asked', args, keyed('key-b'));

    expect(stolen.json['error'].code).toBe(-32602);
    const refused = replies.filter(({ json }) => json['error']?.code === -32602);
    expect(refused).toHaveLength(replies.length - 1);
    expect(textOf(replay)).toBe('Refunded b: {"why":"broken"}');
    expect(effects.map(({ order }) => order)).toEqual(['b']);
  });

  it('carry a call through its approval and its question', async () => {
    const args = { order: 'c' };
    const waiting = await call(url, 'refunds_large', args, alice);
    const { approvalId, status } = waiting.json['result'].structuredContent as Record<string, string>;
    const early = await call(url, 'refunds_large', args, alice);
    const decision = await fetch(`${proxy.url}/approvals/${approvalId}/decision`, {
      method: 'POST',
      headers: { authorization: 'Bearer bob', 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approve' }),
    });
    const foreign = await call(url, 'refunds_large', args, mallory);
    const asked = await call(url, 'refunds_large', args, alice);
    const beforeAnswer = [...effects];
    const done = await answered(asked, 'refunds_large', args);
    const next = await call(url, 'refunds_large', args, alice);

    expect(status).toBe('approval_required');
    expect(early.json['result'].structuredContent.approvalId).toBe(approvalId);
    expect(decision.status).toBe(200);
    expect(foreign.json['result'].structuredContent.approvalId).not.toBe(approvalId);
    expect(asked.json['result'].resultType).toBe('input_required');
    expect(beforeAnswer).toEqual([]);
    expect(textOf(done)).toBe('Refunded c: {"why":"broken"}');
    expect(next.json['result'].structuredContent.approvalId).not.toBe(approvalId);
    expect(effects.map(({ order }) => order)).toEqual(['c']);
  });

  it('execute an approval once when both are asked at the same time', async () => {
    const args = { order: 'd' };
    const waiting = await call(url, 'refunds_large', args, alice);
    const { approvalId } = waiting.json['result'].structuredContent as { approvalId: string };
    await fetch(`${proxy.url}/approvals/${approvalId}/decision`, {
      method: 'POST',
      headers: { authorization: 'Bearer bob', 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approve' }),
    });
    const asked = [
      await call(url, 'refunds_large', args, alice),
      await call(url, 'refunds_large', args, alice),
    ];
    await Promise.all(asked.map((each) => answered(each, 'refunds_large', args)));

    expect(effects.map(({ order }) => order)).toEqual(['d']);
  });

  it('carry a task from its creation to its end, and show it to its owner alone', async () => {
    const created = await call(url, 'refunds_job', { order: 'e' }, alice);
    const { taskId } = created.json['result'] as { taskId: string };
    await reached(taskId, 'input_required');
    const foreign = await send(url, 'tasks/get', { taskId }, mallory);
    await send(url, 'tasks/update', { taskId, inputResponses: { why: BECAUSE } }, alice);
    const done = await reached(taskId, 'completed');

    expect(foreign.json['error'].code).toBe(-32602);
    expect(done['result'].content[0].text).toBe('Refunded e: {"why":"broken"}');
    expect(effects.map(({ order }) => order)).toEqual(['e']);
  });

  it('cancel a task on either', async () => {
    const created = await call(url, 'refunds_job', { order: 'f' }, alice);
    const { taskId } = created.json['result'] as { taskId: string };
    await reached(taskId, 'input_required');
    await send(url, 'tasks/cancel', { taskId }, alice);
    await send(url, 'tasks/update', { taskId, inputResponses: { why: BECAUSE } }, alice);
    const states = [await reached(taskId, 'cancelled'), await reached(taskId, 'cancelled')];

    expect(states.map(({ status }) => status as unknown)).toEqual(['cancelled', 'cancelled']);
    expect(effects).toEqual([]);
  });

  it('stop the run of a task that was cancelled on the other', async () => {
    const created = await call(url, 'refunds_slow', { order: 'g' }, alice);
    await send(url, 'tasks/cancel', { taskId: created.json['result'].taskId as string }, alice);
    while (effects.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));

    expect(effects).toEqual([{ order: 'g', instance: expect.stringContaining('stopped on') }]);
  });

  /** The task, once it has reached a state; asked for on one instance after the other. */
  async function reached(taskId: string, status: string): Promise<RawReply['json']> {
    for (;;) {
      const { json } = await send(url, 'tasks/get', { taskId }, alice);
      if (json['result'].status === status) return json['result'] as RawReply['json'];
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});

/** One instance with connections of its own. */
async function start(instance: string, schema: TestSchema): Promise<INestApplication> {
  const database = fromPgPool(schema.pool(), { timeoutMs: 10_000 });
  const testing = await Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({
        policy: Rules,
        principals: People,
        store: { useValue: new SqlCapabilityStore(database) },
      }),
      McpSurfaceModule.forRoot({
        version: '1.0.0',
        secret: SECRET,
        taskStore: new SqlTaskStore(database),
        singleUseStore: new SqlSingleUseStore(database),
      }),
      RestSurfaceModule.forRoot(),
    ],
    providers: [Refunds, { provide: INSTANCE, useValue: instance }],
  }).compile();
  const app = testing.createNestApplication();
  await app.listen(0, '127.0.0.1');
  return app;
}
