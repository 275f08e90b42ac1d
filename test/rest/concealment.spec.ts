import { gzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Capability, CapabilityHost, hide, allow, type CapabilityPolicyRule } from 'nest-capabilities';
import { z } from 'zod';
import {
  ADAPTERS,
  type AdapterName,
  type Reply,
  type RestApp,
  type SendOptions,
  startRestApp,
} from './rest-app.js';

let ran = 0;
const hidden: CapabilityPolicyRule = {
  name: 'hide-from-reader',
  phase: 'access',
  hides: true,
  evaluate: ({ principal }) => (principal.id === 'writer' ? hide() : allow()),
};

@Injectable()
@CapabilityHost({ namespace: 'vault', risk: 'low', permission: 'docs:read' })
class VaultService {
  @Capability.write({
    description: 'Hidden.',
    expose: ['rest'],
    policies: [hidden],
    inputSchema: z.object({ id: z.string() }),
  })
  secret(): void {
    ran += 1;
  }

  @Capability.write({
    description: 'Not on REST.',
    expose: ['direct'],
    inputSchema: z.object({ id: z.string() }),
  })
  internal(): void {
    ran += 1;
  }

  @Capability.write({ description: 'Plain.', expose: ['rest'] })
  plain(): string {
    ran += 1;
    return 'ok';
  }

  @Capability.read({
    description: 'Elsewhere.',
    expose: ['rest'],
    http: { method: 'GET', path: '/elsewhere' },
  })
  elsewhere(): string {
    return 'ok';
  }
}

const json = { 'content-type': 'application/json' };
const bodies: Readonly<Record<string, SendOptions>> = {
  valid: { body: '{"id":"1"}', headers: json },
  invalid: { body: '{"nope":1}', headers: json },
  malformed: { body: '{', headers: json },
  'wrong-media': { body: '<a/>', headers: { 'content-type': 'application/xml' } },
  'bad-media': { body: 'x', headers: { 'content-type': 'nonsense' } },
  encoded: { body: gzipSync('{"id":"1"}'), headers: { ...json, 'content-encoding': 'gzip' } },
  oversize: { body: `"${'x'.repeat(300_000)}"`, headers: json },
  absent: {},
};

/** Everything the caller can see, but the time. */
const seen = ({ status, headers: { date: _date, ...headers }, text }: Reply): unknown => ({
  status,
  headers,
  text,
});

const start = (adapter: AdapterName): Promise<RestApp> =>
  startRestApp(adapter, { providers: [VaultService] });

describe.each(ADAPTERS)('unknown, unexposed and hidden names on %s (SI-04)', (adapter) => {
  let rest: RestApp;
  beforeAll(async () => {
    rest = await start(adapter);
  });
  afterAll(() => rest?.close());
  beforeEach(() => (ran = 0));

  it.each(Object.keys(bodies))('answer a %s body with the same bytes', async (kind) => {
    const ask = (name: string): Promise<Reply> => rest.send('POST', `/capabilities/${name}`, bodies[kind]);
    const unknown = await ask('no.such.name');
    expect(unknown.status).toBe(404);
    expect(unknown.text).toBe('{"error":{"code":"NOT_FOUND","message":"Not found.","reason":"NOT_FOUND"}}');
    expect(unknown.headers['x-execution-id']).toBeUndefined();
    expect(seen(await ask('vault.secret'))).toEqual(seen(unknown));
    expect(seen(await ask('vault.internal'))).toEqual(seen(unknown));
    expect(seen(await ask('vault.elsewhere'))).toEqual(seen(unknown));
    expect(ran).toBe(0);
  });

  it.each([
    'nope',
    '__proto__',
    'constructor',
    'toString',
    'x'.repeat(5_000),
    'a/b/c',
    '%F0%9F%92%A9',
    '..%2Fvault.plain',
  ])('hold for the odd name %.40s', async (name) => {
    const unknown = await rest.send('POST', '/capabilities/no.such.name', bodies['valid']);
    expect(seen(await rest.send('POST', `/capabilities/${name}`, bodies['valid']))).toEqual(seen(unknown));
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('hold for %s on a POST route', async (method) => {
    const unknown = await rest.send(method, '/capabilities/no.such.name');
    expect(unknown.status).toBe(404);
    expect(seen(await rest.send(method, '/capabilities/vault.plain'))).toEqual(seen(unknown));
    expect(seen(await rest.send(method, '/capabilities/vault.secret'))).toEqual(seen(unknown));
  });

  it('answer HEAD as GET, without a body', async () => {
    const unknown = await rest.send('HEAD', '/capabilities/no.such.name');
    expect([unknown.status, unknown.text]).toEqual([404, '']);
    expect(seen(await rest.send('HEAD', '/capabilities/vault.plain'))).toEqual(seen(unknown));
  });

  it('leave OPTIONS to the framework', async () => {
    const reply = await rest.send('OPTIONS', '/capabilities/vault.plain');
    expect(reply.json).toMatchObject({
      statusCode: 404,
      message: 'Cannot OPTIONS /capabilities/vault.plain',
    });
  });

  it('ask for credentials first, alike', async () => {
    for (const name of ['no.such.name', 'vault.secret', 'vault.plain', 'vault.internal']) {
      const reply = await rest.send('POST', `/capabilities/${name}`, { ...bodies['wrong-media'], as: null });
      expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(Object.keys(reply.json as object)).toEqual(['error']);
    }
  });

  it('show the hidden one to whom it is shown', async () => {
    expect(
      (await rest.send('POST', '/capabilities/vault.secret', { ...bodies['valid'], as: 'reader' })).status,
    ).toBe(204);
    expect(ran).toBe(1);
  });
});

it('answers unknown names with the same status, body and headers on both adapters', async () => {
  const replies: unknown[] = [];
  for (const adapter of ADAPTERS) {
    const rest = await start(adapter);
    const { status, text, headers } = await rest.send('POST', '/capabilities/nope', bodies['wrong-media']);
    replies.push({ status, text, type: headers['content-type'], length: headers['content-length'] });
    await rest.close();
  }
  expect(replies[0]).toEqual(replies[1]);
});
