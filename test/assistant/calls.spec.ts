import { Test } from '@nestjs/testing';
import { CapabilitiesModule, CapabilityError } from 'nest-capabilities';
import { AssistantSurfaceModule, MemoryConversationStore } from 'nest-capabilities/assistant';
import { as, boot, closeApps, World } from './support.js';

afterEach(closeApps);

const ada = as('ada');
const bob = as('bob');
const bound = { conversation: 'talk', toolCallId: 'c1' } as const;

describe('a tool call', () => {
  it('is answered with its id, its text and its output', async () => {
    const app = await boot();
    expect(await app.assistant.call(ada, 'notes_jot', { text: 'tea' }, { toolCallId: 'c1' })).toEqual({
      toolCallId: 'c1',
      name: 'notes_jot',
      status: 'completed',
      output: { count: 1 },
      cites: [],
      content: '{"count":1}',
      isError: false,
    });
  });

  it.each([
    ['nobody', null, 'notes_list', {}, 'UNAUTHENTICATED'],
    ['a name with a dot', ada, 'notes.list', {}, 'NOT_FOUND'],
    ['a name of nothing', ada, '__proto__', {}, 'NOT_FOUND'],
    ['a name without end', ada, 'x'.repeat(5_000), {}, 'NOT_FOUND'],
    ['no permission', as('eve'), 'notes_jot', {}, 'FORBIDDEN'],
    ['no arguments', ada, 'notes_jot', undefined, 'INPUT_INVALID'],
    ['arguments that are none', ada, 'notes_jot', 'tea', 'INPUT_INVALID'],
  ] as const)('with %s is a result with the envelope', async (_title, who, name, args, reason) => {
    const world = new World();
    const app = await boot(world);
    const result = await app.assistant.call(who, name, args, { toolCallId: 'c1' });
    expect(result).toMatchObject({
      toolCallId: 'c1',
      name,
      status: 'failed',
      isError: true,
      error: { reason },
    });
    expect(JSON.parse(result.content)).toEqual({ error: (result as { error: object }).error });
    expect(world.notebook.notes).toEqual([]);
  });

  it('with an ill-formed principal gives no tools', async () => {
    const app = await boot();
    const nobody = { id: '', kind: 'user', user: null } as const;
    await expect(app.assistant.tools(nobody, { format: 'mcp' })).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
    });
  });

  it('that is bound to its id has one effect, whoever replays it', async () => {
    const world = new World();
    const conversations = new MemoryConversationStore();
    const first = await boot(world, conversations);
    const once = await first.assistant.call(ada, 'notes_jot', { text: 'tea' }, bound);
    expect(await first.assistant.call(ada, 'notes_jot', { text: 'tea' }, bound)).toEqual(once);
    const second = await boot(world, conversations);
    expect(await second.assistant.call(ada, 'notes_jot', { text: 'tea' }, bound)).toEqual(once);
    const other = await second.assistant.call(ada, 'notes_jot', { text: 'milk' }, bound);
    expect(other).toMatchObject({ status: 'failed', error: { reason: 'KEY_REUSED' } });
    expect(world.notebook.notes).toEqual(['tea']);
    await second.assistant.call(bob, 'notes_jot', { text: 'tea' }, bound);
    await second.assistant.call(ada, 'notes_jot', { text: 'tea' }, { ...bound, conversation: 'other' });
    await second.assistant.call(ada, 'notes_jot', { text: 'tea' }, { toolCallId: 'c1' });
    expect(world.notebook.notes).toEqual(['tea', 'tea', 'tea', 'tea']);
  });

  it.each([
    ['approve', { status: 'completed', output: undefined, content: 'null' }, [7]],
    [
      'reject',
      { status: 'failed', error: { reason: 'APPROVAL_DENIED', message: 'The request was denied: no' } },
      [],
    ],
  ] as const)('that waits is answered by its id once somebody says %s', async (decision, expected, wiped) => {
    const world = new World();
    const app = await boot(world);
    const asked = await app.assistant.call(ada, 'notes_wipe', { id: 7 }, bound);
    if (asked.status !== 'suspended') throw new Error('It did not wait.');
    const { approvalId } = asked.approval;
    expect(JSON.parse(asked.content)).toMatchObject({ status: 'approval_required', approvalId });
    expect(await app.assistant.call(ada, 'notes_wipe', { id: 7 }, bound)).toMatchObject({
      status: 'suspended',
      approval: { approvalId },
    });
    await app.decide(approvalId, bob, decision, 'no');
    const answer = await app.assistant.call(ada, 'notes_wipe', { id: 8 }, bound);
    expect(answer).toMatchObject(expected);
    expect(await app.assistant.call(ada, 'notes_wipe', { id: 7 }, bound)).toMatchObject(expected);
    expect(world.notebook.wiped).toEqual(wiped);
  });

  it('that is not bound runs when the same call was approved, once', async () => {
    const world = new World();
    const app = await boot(world);
    const asked = await app.assistant.call(ada, 'notes_wipe', { id: 7 });
    if (asked.status !== 'suspended') throw new Error('It did not wait.');
    await app.decide(asked.approval.approvalId, bob);
    expect((await app.assistant.call(ada, 'notes_wipe', { id: 8 })).status).toBe('suspended');
    expect((await app.assistant.call(ada, 'notes_wipe', { id: 7 })).status).toBe('completed');
    expect((await app.assistant.call(ada, 'notes_wipe', { id: 7 })).status).toBe('suspended');
    expect(world.notebook.wiped).toEqual([7]);
  });

  it('that was held is not run once the caller has gone', async () => {
    const world = new World();
    const app = await boot(world);
    const tools = await app.assistant.tools(ada, { format: 'ai-sdk', conversation: 'talk' });
    const { notes_jot: tool } = tools;
    const options = { toolCallId: 'c1', messages: [] };
    expect(await tool!.needsApproval!({ text: 'tea' }, options)).toBe(false);
    const aborted = AbortSignal.abort();
    const cancelled = await tool!.execute({ text: 'tea' }, { ...options, abortSignal: aborted });
    expect(cancelled).toMatchObject({ error: { reason: 'CANCELLED' } });
    expect(world.notebook.notes).toEqual([]);
  });

  it('fails closed when the store of conversations is down', async () => {
    class Down extends MemoryConversationStore {
      override async recall(): Promise<never> {
        throw new CapabilityError('UNAVAILABLE', { cause: new Error('postgres://u:pw@10.0.0.5') });
      }
    }
    const world = new World();
    const app = await boot(world, new Down());
    const result = await app.assistant.call(ada, 'notes_jot', { text: 'tea' }, bound);
    expect(result).toMatchObject({ status: 'failed', error: { reason: 'UNAVAILABLE' } });
    expect(result.content).not.toContain('postgres');
    const { notes_jot: tool } = await app.assistant.tools(ada, { format: 'ai-sdk', conversation: 'talk' });
    const options = { toolCallId: 'c2', messages: [] };
    expect(await tool!.needsApproval!({ text: 'tea' }, options)).toBe(false);
    expect(await tool!.execute({ text: 'tea' }, options)).toMatchObject({ error: { reason: 'UNAVAILABLE' } });
    expect(world.notebook.notes).toEqual([]);
  });
});

it('the surface is imported once', async () => {
  const twice = Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({}),
      AssistantSurfaceModule.forRoot(),
      AssistantSurfaceModule.forRoot({}),
    ],
  });
  const module = await twice.setLogger(false as never).compile();
  await expect(module.init()).rejects.toThrow('it is imported several times');
  await module.close();
});
