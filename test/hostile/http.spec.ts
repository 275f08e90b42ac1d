import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { allow, Capability, CapabilityHost, type CapabilityPolicyRule, hide } from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS, type RestApp, type Reply, startRestApp } from '../rest/rest-app.js';

const hidden: CapabilityPolicyRule = {
  name: 'hide-from-reader',
  phase: 'access',
  hides: true,
  evaluate: ({ principal }) => (principal.id === 'writer' ? hide() : allow()),
};

@Injectable()
@CapabilityHost({ namespace: 'vault', risk: 'low', permission: 'docs:read', expose: ['rest'] })
class VaultService {
  @Capability.write({
    description: 'Hidden.',
    policies: [hidden],
    inputSchema: z.object({ id: z.string() }),
  })
  secret(): void {}

  @Capability.write({ description: 'Echo.', inputSchema: z.object({ id: z.string() }) })
  echo(input: { id: string }): unknown {
    return input;
  }

  @Capability.read({
    description: 'Listing.',
    http: { method: 'GET', path: '/listing/:id' },
    inputSchema: z.object({
      id: z.string(),
      n: z.number().optional(),
      tags: z.array(z.string()).optional(),
      on: z.boolean().optional(),
    }),
  })
  listing(input: unknown): unknown {
    return input;
  }
}

/** Everything the caller can see, but the time and ids; an entity tag is a hash of the text. */
const seen = ({ status, headers: { date: _date, etag, ...headers }, text }: Reply): unknown => ({
  status,
  headers: { ...headers, tagged: etag !== undefined },
  text,
});
const json = { 'content-type': 'application/json' };

describe.each(ADAPTERS)('hostile HTTP on %s', (adapter) => {
  let rest: RestApp;
  beforeAll(async () => {
    rest = await startRestApp(adapter, { providers: [VaultService] });
  });
  afterAll(() => rest.close());

  const variants: readonly string[] = [
    '/capabilities/NAME/',
    '/capabilities//NAME',
    '//capabilities/NAME',
    '/capabilities/NAME?x=1',
    '/capabilities/NAME;x=1',
    '/capabilities/%76ault.secret',
    '/capabilities/NAME%00',
    '/capabilities/NAME%zz',
    '/capabilities/NAME%2f',
    '/capabilities/./NAME',
    '/capabilities/x/../NAME',
    '/CAPABILITIES/NAME',
    '/capabilities/NAME#f',
    'http://127.0.0.1/capabilities/NAME',
  ];
  const methods = ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'TRACE', 'PROPFIND'];
  it.each(methods)('%s answers hidden and unknown names alike', async (method) => {
    for (const as of ['writer', 'nobody', null]) {
      for (const variant of ['/capabilities/NAME', ...variants]) {
        const known = await rest.send(method, variant.replace('NAME', 'vault.secret'), { as });
        const unknown = await rest.send(
          method,
          variant.replace('NAME', 'vault.zecret').replace('%76', '%77'),
          { as },
        );
        const plain = (reply: Reply): unknown =>
          JSON.parse(
            JSON.stringify(seen(reply))
              .replaceAll(/[vw]ault\.[sz]ecret|%7[67]ault.secret/g, 'N')
              .replaceAll(/[0-9a-f]{32}/g, 'ID'),
          );
        expect({ variant, as, reply: plain(known) }).toEqual({ variant, as, reply: plain(unknown) });
      }
    }
  });

  it.each(['http://127.0.0.1/capabilities/vault.echo', '/capabilities/vault.echo#frag'])(
    'judges bodies sent to %s after authentication',
    async (path) => {
      const broken = await rest.send('POST', path, { as: null, body: '{', headers: json });
      expect(broken.status).toBe(401);
      const fine = await rest.send('POST', path, { body: '{"id":"1"}', headers: json });
      expect({ status: fine.status, json: fine.json }).toEqual({ status: 200, json: { id: '1' } });
    },
  );

  const get = (query: string): Promise<Reply> => rest.send('GET', `/listing/a${query}`);
  it.each([
    ['?n=1&n=2', 400],
    ['?n=', 400],
    ['?n=+1', 400],
    ['?n=0x10', 400],
    ['?n=1e999', 400],
    ['?n=-0', 200],
    ['?tags=a&tags=b', 200],
    ['?tags=', 200],
    ['?on=TRUE', 400],
    ['?__proto__=x', 400],
    ['?__proto__[x]=1', 400],
    ['?constructor=x', 400],
    ['?hasOwnProperty=x', 400],
    ['?toString=x', 400],
    ['?id=b', 400],
    ['?%', 400],
    ['?n=%ff', 400],
    ['?n=1%00', 400],
    ['?&&&', 200],
    ['?=', 400],
    [`?tags=${'x'.repeat(14_000)}`, 200],
  ])('decodes %s', async (query, status) => {
    const reply = await get(query);
    expect({ status: reply.status, body: reply.text.slice(0, 300) }).toMatchObject({ status });
    if (status === 400) expect(reply.json).toMatchObject({ error: { code: 'VALIDATION' } });
  });

  it.each([
    ['"abc"', 200],
    ['abc', 200],
    ['""', 400],
    ['"', 200],
    ['"a', 200],
    ['a b', 400],
    ['x'.repeat(255), 200],
    ['x'.repeat(256), 400],
    [`"${'y'.repeat(255)}"`, 200],
    [`"${'y'.repeat(256)}"`, 400],
    ['é', 400],
  ])('reads the idempotency key %s', async (key, status) => {
    const reply = await rest.call('vault.echo', { id: '1' }, { headers: { 'idempotency-key': key } });
    expect(reply.status).toBe(status);
  });

  it('joins a repeated idempotency key, which is none', async () => {
    const reply = await rest.call(
      'vault.echo',
      { id: '1' },
      { headers: { 'idempotency-key': ['a', 'b'] as unknown as string } },
    );
    expect(reply.json).toMatchObject({ error: { field: 'Idempotency-Key' } });
  });

  it.each([
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset="UTF-8"',
    'application/json; ;',
  ])('takes %s', async (type) => {
    const reply = await rest.send('POST', '/capabilities/vault.echo', {
      body: '{"id":"1"}',
      headers: { 'content-type': type },
    });
    expect(reply.status).toBe(200);
  });
  it.each([
    'application/json; charset=latin1',
    'application/json, text/plain',
    'application/jsonp',
    'text/json',
    'application/vnd.api+json',
    '',
    'application/json; charset',
  ])('refuses %s', async (type) => {
    const reply = await rest.send('POST', '/capabilities/vault.echo', {
      body: '{"id":"1"}',
      headers: { 'content-type': type },
    });
    expect(reply.status).toBe(415);
  });
});
