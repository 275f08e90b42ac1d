import { ApprovalService, Capability, CapabilityError, CapabilityHost } from 'nest-capabilities';
import type { HandlerContext, Principal } from 'nest-capabilities';
import { ApprovalResumeTool } from 'nest-capabilities/mcp';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { z } from 'zod';
import { CapturedAudit, CapturedHooks } from '../pipeline/pipeline-app.js';
import { call, type RawOptions, type RawReply, send } from './support/raw-client.js';
import { startTokenApp, type TokenApp } from './support/token-app.js';

const Order = z.object({ order: z.string() });
const CAPABILITIES = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const SURE = { action: 'accept', content: { sure: true } };
const QUESTION = { message: 'Sure?', requestedSchema: { type: 'object' } };
const open = { required: false } as const;

let runs = 0;
let refunded: string[] = [];

async function refund(order: string, ctx: HandlerContext): Promise<string> {
  runs++;
  const answer = await ctx.elicit?.(QUESTION, 'sure');
  if (answer?.content?.['sure'] !== true) throw new Error('Not sure.');
  refunded.push(order);
  return `Refunded ${order}.`;
}

@CapabilityHost({ namespace: 'refunds', expose: ['mcp'], risk: 'high', permission: 'refunds:write' })
class Refunds {
  @Capability.write({ description: 'Refunds after a decision and a question.', inputSchema: Order })
  gated({ order }: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return refund(order, ctx);
  }

  @Capability.write({ description: 'Refunds after a question.', inputSchema: Order, approval: open })
  plain({ order }: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return refund(order, ctx);
  }

  @Capability.write({
    description: 'Refunds after a question, again if need be.',
    inputSchema: Order,
    approval: open,
    idempotent: true,
    retry: { maxAttempts: 3, backoffMs: 1, retryOn: () => true },
  })
  repeated({ order }: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return refund(order, ctx);
  }

  @Capability.write({
    description: 'Refunds as a task.',
    inputSchema: Order,
    approval: open,
    mcp: { task: 'required' },
  })
  job({ order }: z.output<typeof Order>, ctx: HandlerContext): Promise<string> {
    return refund(order, ctx);
  }
}

/** Can be told to refuse the return of a claim. */
class BrokenStore extends MemoryCapabilityStore {
  broken = false;

  override async release(
    ...args: Parameters<MemoryCapabilityStore['release']>
  ): ReturnType<MemoryCapabilityStore['release']> {
    if (this.broken) throw new CapabilityError('UNAVAILABLE');
    return super.release(...args);
  }
}

describe('a question of a call that claimed an approval or a key', () => {
  const audit = new CapturedAudit();
  const hooks = new CapturedHooks();
  const store = new BrokenStore();
  let server: TokenApp;
  let token: string;

  beforeAll(async () => {
    server = await startTokenApp({
      adapter: 'express',
      providers: [Refunds, ApprovalResumeTool],
      capabilities: {
        store: { useValue: store },
        sinks: [{ useValue: audit }],
        hooks: [{ useValue: hooks }],
      },
    });
    token = await server.issue('alice', 'refunds:write');
  });
  afterAll(() => server.app.close());
  beforeEach(() => {
    runs = 0;
    refunded = [];
    audit.events.length = 0;
    hooks.errors.length = 0;
    store.broken = false;
  });

  const keyed = (key: string): RawOptions => ({
    token,
    capabilities: CAPABILITIES,
    meta: { 'nest-capabilities/idempotency-key': key },
  });
  const unkeyed = (): RawOptions => ({ token, capabilities: CAPABILITIES });
  const answered = (
    asked: RawReply,
    name: string,
    args: object,
    options: RawOptions,
    answer: object = SURE,
  ): Promise<RawReply> => {
    const { requestState, inputRequests } = asked.json['result'] as Record<string, object>;
    const inputResponses = Object.fromEntries(Object.keys(inputRequests ?? {}).map((key) => [key, answer]));
    const params = { name, arguments: args, requestState, inputResponses };
    return send(server.url, 'tools/call', params, options);
  };
  const textOf = ({ json }: RawReply): string => json['result'].content[0].text as string;
  const approve = async (args: object, options = unkeyed()): Promise<string> => {
    const { json } = await call(server.url, 'refunds_gated', args, options);
    const { approvalId } = json['result'].structuredContent as { approvalId: string };
    const alice = { id: 'alice', kind: 'user', user: { id: 'alice', permissions: [] }, tenant: 'default' };
    await server.app
      .get(ApprovalService, { strict: false })
      .decide({ ...alice, human: 'alice', credentialId: 'console' } as unknown as Principal, approvalId, {
        decision: 'approve',
      });
    audit.events.length = 0;
    return approvalId;
  };
  const stateOf = async (id: string): Promise<string | undefined> =>
    (await store.approvals.get('default', id))?.state;

  it('gives an idempotency key back, and the answered call takes it again', async () => {
    const args = { order: 'a' };
    const asked = await call(server.url, 'refunds_plain', args, keyed('key-a'));
    const endings = audit.events.map((event) => event.type);
    const done = await answered(asked, 'refunds_plain', args, keyed('key-a'));
    const again = await call(server.url, 'refunds_plain', args, keyed('key-a'));

    expect(asked.json['result'].resultType).toBe('input_required');
    expect(endings).toEqual(['requested', 'started', 'cancelled']);
    expect(audit.events[2]).toMatchObject({ stage: 'question' });
    expect(hooks.errors).toEqual([]);
    expect([textOf(done), textOf(again)]).toEqual(['Refunded a.', 'Refunded a.']);
    expect(refunded).toEqual(['a']);
    expect(runs).toBe(2);
  });

  it('lets one of two answered calls with one key take effect', async () => {
    const args = { order: 'b' };
    const asked = [
      await call(server.url, 'refunds_plain', args, keyed('key-b')),
      await call(server.url, 'refunds_plain', args, keyed('key-b')),
    ];
    await Promise.all(asked.map((each) => answered(each, 'refunds_plain', args, keyed('key-b'))));

    expect(refunded).toEqual(['b']);
  });

  it('gives an approval back, and the answered call executes it', async () => {
    const args = { order: 'c' };
    const approvalId = await approve(args);
    const asked = await call(server.url, 'refunds_gated', args, unkeyed());
    const [waiting, types] = [await stateOf(approvalId), audit.types().slice()];
    const done = await answered(asked, 'refunds_gated', args, unkeyed());

    expect(asked.json['result'].resultType).toBe('input_required');
    expect(waiting).toBe('approved');
    expect(types).toEqual(['requested', 'started', 'cancelled']);
    expect(textOf(done)).toBe('Refunded c.');
    expect(await stateOf(approvalId)).toBe('succeeded');
    expect(refunded).toEqual(['c']);
  });

  it('gives an approval back with the key that waits on it', async () => {
    const args = { order: 'd' };
    const approvalId = await approve(args, keyed('key-d'));
    const asked = await call(server.url, 'refunds_gated', args, keyed('key-d'));
    const done = await answered(asked, 'refunds_gated', args, keyed('key-d'));
    const again = await call(server.url, 'refunds_gated', args, keyed('key-d'));

    expect(asked.json['result'].resultType).toBe('input_required');
    expect([textOf(done), textOf(again)]).toEqual(['Refunded d.', 'Refunded d.']);
    expect(await stateOf(approvalId)).toBe('succeeded');
    expect(refunded).toEqual(['d']);
  });

  it('asks through the resume tool as well', async () => {
    const approvalId = await approve({ order: 'e' });
    const asked = await call(server.url, 'approvals_execute', { approvalId }, unkeyed());
    const waiting = await stateOf(approvalId);
    const done = await answered(asked, 'approvals_execute', { approvalId }, unkeyed());

    expect(asked.json['result'].resultType).toBe('input_required');
    expect(waiting).toBe('approved');
    expect(textOf(done)).toBe('Refunded e.');
    expect(await stateOf(approvalId)).toBe('succeeded');
    expect(refunded).toEqual(['e']);
  });

  it('keeps the claim of a call that fails after it was answered', async () => {
    const args = { order: 'f' };
    const approvalId = await approve(args);
    const asked = await call(server.url, 'refunds_gated', args, unkeyed());
    const failed = await answered(asked, 'refunds_gated', args, unkeyed(), { action: 'decline' });

    expect(failed.json['result'].isError).toBe(true);
    expect(await stateOf(approvalId)).toBe('unknown');
    expect(audit.types().at(-1)).toBe('failed');
    expect(refunded).toEqual([]);
  });

  it('does not ask again because of a retry rule', async () => {
    const args = { order: 'g' };
    const asked = await call(server.url, 'refunds_repeated', args, keyed('key-g'));

    expect(asked.json['result'].resultType).toBe('input_required');
    expect(runs).toBe(1);
    expect(audit.types()).not.toContain('retried');
  });

  it('answers no question when the claim could not be given back', async () => {
    store.broken = true;
    const reply = await call(server.url, 'refunds_plain', { order: 'h' }, keyed('key-h'));

    expect(reply.json['result'].isError).toBe(true);
    expect(reply.json['result']._meta['nest-capabilities/error'].reason).toBe('UNAVAILABLE');
    expect(reply.json['result'].inputRequests).toBeUndefined();
    expect(audit.types().at(-1)).toBe('failed');
  });

  it('keeps the key of a task over its rounds', async () => {
    const args = { order: 'i' };
    const start = async (): Promise<string> => {
      const { json } = await call(server.url, 'refunds_job', args, keyed('key-i'));
      return json['result'].taskId as string;
    };
    const ended = async (taskId: string, status: string): Promise<RawReply['json']> => {
      for (;;) {
        const { json } = await send(server.url, 'tasks/get', { taskId }, unkeyed());
        if (json['result'].status === status) return json['result'] as RawReply['json'];
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const first = await start();
    await ended(first, 'input_required');
    await send(server.url, 'tasks/update', { taskId: first, inputResponses: { sure: SURE } }, keyed('other'));
    const done = await ended(first, 'completed');
    const again = await ended(await start(), 'completed');

    expect(done['result'].content[0].text).toBe('Refunded i.');
    expect(again['result'].content[0].text).toBe('Refunded i.');
    expect(refunded).toEqual(['i']);
  });
});
