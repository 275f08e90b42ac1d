import { Injectable } from '@nestjs/common';
import { Capability, CapabilityHost, type HandlerContext } from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS, type RestApp, startRestApp } from './rest-app.js';

let ran: unknown[] = [];

@Injectable()
@CapabilityHost({ namespace: 'docs', expose: ['rest'], risk: 'low' })
class DocsService {
  @Capability.read({
    description: 'Echoes its input.',
    permission: 'docs:read',
    inputSchema: z.object({ text: z.string(), limit: z.number().int().default(20) }),
  })
  echo(input: { text: string; limit: number }): unknown {
    ran.push(input);
    return input;
  }

  @Capability.write({
    description: 'Returns what it is told to.',
    permission: 'docs:write',
    inputSchema: z.object({ value: z.unknown() }),
  })
  give(input: { value?: unknown }): unknown {
    ran.push(input);
    return input.value === 'undefined' ? undefined : input.value;
  }

  @Capability.read({ description: 'Fails inside.', permission: 'docs:read' })
  boom(): unknown {
    throw new Error('connect ECONNREFUSED postgres://u:pw@10.0.0.5/db');
  }

  @Capability.read({ description: 'Tells who asks.', permission: 'docs:read', inputSchema: z.object({}) })
  who(_input: unknown, ctx: HandlerContext): unknown {
    return { id: ctx.principal.id, surface: ctx.surface };
  }

  @Capability.read({ description: 'Everyone may.', permission: null })
  open(): string {
    return 'open';
  }
}

describe.each(ADAPTERS)('default routes on %s', (adapter) => {
  let rest: RestApp;

  beforeAll(async () => {
    rest = await startRestApp(adapter, { providers: [DocsService] });
  });
  afterAll(() => rest?.close());
  beforeEach(() => (ran = []));

  it('answers 200 with the bare output as JSON and the execution id', async () => {
    const reply = await rest.call('docs.echo', { text: 'hi' });
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('{"text":"hi","limit":20}');
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.headers['x-execution-id']).toMatch(/^[0-9a-f]{32}$/);
    expect(ran).toEqual([{ text: 'hi', limit: 20 }]);
  });

  it.each([
    [null, 'null'],
    ['', '""'],
    ['text', '"text"'],
    [0, '0'],
    [false, 'false'],
    [[], '[]'],
  ])('sends %j as JSON with 200', async (value, text) => {
    const reply = await rest.call('docs.give', { value });
    expect([reply.status, reply.text]).toEqual([200, text]);
  });

  it('answers 204 for nothing', async () => {
    const reply = await rest.call('docs.give', { value: 'undefined' });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(reply.headers['content-type']).toBeUndefined();
  });

  it('asks for credentials first, with a challenge (SI-02)', async () => {
    const reply = await rest.call('docs.echo', { nonsense: true }, { as: null });
    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(reply.json).toMatchObject({ error: { code: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' } });
    expect(ran).toEqual([]);
  });

  it('takes the token from the Authorization header only (SI-01)', async () => {
    expect((await rest.send('POST', '/capabilities/docs.who?access_token=writer', { as: null })).status).toBe(
      401,
    );
    expect((await rest.call('docs.who', undefined, { headers: { 'x-user': 'admin' } })).json).toEqual({
      id: 'writer',
      surface: 'rest',
    });
  });

  it('decides on permission before it looks at the input (SI-05)', async () => {
    const reply = await rest.call('docs.give', { nonsense: true }, { as: 'reader' });
    expect(reply.status).toBe(403);
    expect(reply.text).not.toContain('nonsense');
    expect(ran).toEqual([]);
  });

  it('names the field of bad input', async () => {
    const reply = await rest.call('docs.echo', { text: 7 });
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { reason: 'INPUT_INVALID', field: 'text' } });
    expect((await rest.call('docs.echo', { text: 'a', txet: 'b' })).json).toMatchObject({
      error: { field: 'txet' },
    });
  });

  it('masks an internal error', async () => {
    const reply = await rest.call('docs.boom', {});
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('postgres');
    expect(reply.json).toMatchObject({
      error: { reason: 'INTERNAL', executionId: reply.headers['x-execution-id'] },
    });
  });

  it('asks the resolver once for each call', async () => {
    rest.principals.seen = [];
    await rest.call('docs.echo', { text: 'hi' });
    expect(rest.principals.seen.map(({ surface, token }) => [surface, token])).toEqual([['rest', 'writer']]);
  });

  it('says that reads ignore idempotency keys', async () => {
    const reply = await rest.call('docs.echo', { text: 'hi' }, { headers: { 'idempotency-key': 'k 1' } });
    expect([reply.status, reply.headers['idempotency-status']]).toEqual([200, 'ignored']);
  });

  it('refuses a malformed idempotency key of a write', async () => {
    const reply = await rest.call('docs.give', { value: 1 }, { headers: { 'idempotency-key': 'k 1' } });
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { field: 'Idempotency-Key' } });
    expect(ran).toEqual([]);
  });

  it('answers fifty callers at once each as themselves (SI-36)', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        rest.call('docs.who', {}, { as: index % 2 === 0 ? 'reader' : 'writer' }),
      ),
    );
    expect(replies.map(({ json }) => (json as { id: string }).id)).toEqual(
      replies.map((_, index) => (index % 2 === 0 ? 'reader' : 'writer')),
    );
  });
});
