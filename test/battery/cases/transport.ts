import { strict as assert } from 'node:assert';
import type { BatteryCase, Driver } from '../battery-case.js';
import type { McpAnswer } from '../driver/mcp-wire.js';
import { AUDIENCE, ISSUER } from '../fixture/identity.js';
import { answered, audited, effects } from './expect.js';

const SMALL = { orderId: 'o', amount: 5, currency: 'USD', notify: false };
const METADATA = '/.well-known/oauth-protected-resource/mcp';
const METADATA_URL = new URL(METADATA, AUDIENCE).href;

function challenge({ headers }: McpAnswer): Readonly<Record<string, string>> {
  const header = headers['www-authenticate'] ?? '';
  assert.match(header, /^Bearer /);
  const pairs = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

export const TRANSPORT: readonly BatteryCase[] = [
  {
    id: 'B16',
    title: 'no token, or one in the query, is sent to the metadata',
    async run(t) {
      const none = await t.mcpRaw(null, { raw: '{}' });
      const inQuery = await t.mcpRaw(null, { raw: '{}', query: `access_token=${t.token('alice')}` });
      for (const answer of [none, inQuery]) {
        assert.equal(answer.status, 401, answer.text);
        const { resource_metadata, error } = challenge(answer);
        assert.deepEqual([resource_metadata, error], [METADATA_URL, undefined]);
      }
      for (const path of [METADATA, METADATA.slice(0, -'/mcp'.length)]) {
        const { status, body } = await t.http('GET', path);
        const { resource, authorization_servers: servers } = body as Record<string, unknown>;
        assert.deepEqual([status, resource, servers], [200, AUDIENCE, [ISSUER]]);
      }
      await audited(t, { surface: 'mcp', type: 'denied', cause: 'UNAUTHENTICATED' }, 2);
    },
  },
  {
    id: 'B17',
    title: 'tokens of others, of yesterday, for ever and unsigned are no tokens',
    async run(t) {
      const bad = ['wrongaud', 'expired', 'noexp', 'unsigned'];
      for (const era of ['modern', 'legacy'] as const) {
        for (const who of bad) {
          const answer = await t.mcpRaw(who, { era });
          assert.equal(answer.status, 401, answer.text);
          assert.equal(challenge(answer)['error'], 'invalid_token');
          assert.doesNotMatch(answer.text, /total|"result"/);
        }
      }
      assert.equal(await t.attempts('orders.get'), 0);
      await audited(t, { surface: 'mcp', type: 'denied', cause: 'UNAUTHENTICATED' }, 2 * bad.length);
      await audited(t, { surface: 'mcp', type: 'completed' }, 0);
    },
  },
  {
    id: 'B18',
    title: 'a missing scope is told in one challenge',
    async run(t) {
      for (const era of ['modern', 'legacy'] as const) {
        const answer = await t.mcpRaw('reader', { era, name: 'refund.issue', args: SMALL });
        assert.equal(answer.status, 403, answer.text);
        const { error, scope, resource_metadata } = challenge(answer);
        assert.deepEqual(
          [error, scope, resource_metadata],
          ['insufficient_scope', 'refunds:write', METADATA_URL],
        );
      }
      await effects(t, 'refund.issue', 0);
      await audited(t, { capability: 'refund.issue', type: 'denied', cause: 'FORBIDDEN', surface: 'mcp' }, 2);
    },
  },
  {
    id: 'B19',
    title: 'identity comes from the token, whatever arguments, _meta and headers claim',
    async run(t) {
      const claims = { meta: { principal: 'admin' }, headers: { 'x-user': 'admin', 'x-tenant': 't2' } };
      const argued = { ...SMALL, principal: 'admin' };
      const refused = await t.mcpRaw('alice', { ...claims, name: 'refund.issue', args: argued });
      answered(refused, 200, 'INPUT_INVALID');
      assert.equal(errorOf(refused).field, 'principal');
      await effects(t, 'refund.issue', 0);

      answered(await t.mcpRaw('alice', { ...claims, name: 'refund.issue', args: SMALL }), 200);
      await effects(t, 'refund.issue', 1);
      await audited(t, { capability: 'refund.issue', type: 'denied', who: 'alice', tenant: 't1' }, 1);
      await audited(t, { capability: 'refund.issue', type: 'completed', who: 'alice', tenant: 't1' }, 1);
      await audited(t, { who: 'admin' }, 0);
      await audited(t, { tenant: 't2' }, 0);
    },
  },
  {
    id: 'B20',
    title: 'hidden looks like unknown, and lists do not change',
    async run(t) {
      for (const era of ['modern', 'legacy'] as const) {
        const hidden = await t.mcpRaw('alice', { era, name: 'admin.purge', args: {} });
        const unknown = await t.mcpRaw('alice', { era, name: 'nope.nope', args: {} });
        assert.equal(hidden.code, '-32602');
        assert.deepEqual(seen(hidden), seen(unknown));
        const malformed = await t.mcpRaw('alice', { era, name: 'admin.purge', args: 'nonsense' });
        assert.deepEqual(seen(malformed), seen(unknown));
      }
      for (const who of ['alice', 'reader']) assert.equal(await t.listTwiceEqual(who), true);
      assert.equal((await names(t, 'alice')).includes('admin_purge'), false);
      assert.deepEqual(await names(t, 'reader'), ['boom', 'orders_get', 'slow_op']);
      await effects(t, 'admin.purge', 0);
      await audited(t, { capability: 'admin.purge', type: 'denied', cause: 'UNEXPOSED' }, 4);
      await audited(t, { capability: 'nope_nope', type: 'denied', cause: 'UNKNOWN' }, 2);
    },
  },
  {
    id: 'B21',
    title: 'headers and body must agree',
    async run(t) {
      const disagreeing: readonly Readonly<Record<string, string>>[] = [
        { 'Mcp-Name': 'orders.get' },
        { 'Mcp-Name': 'orders_get' },
        { 'Mcp-Name': '' },
        { 'Mcp-Method': '' },
        { 'Mcp-Method': 'tools/list' },
        { 'MCP-Protocol-Version': '2025-11-25' },
        { 'MCP-Protocol-Version': '' },
      ];
      for (const headers of disagreeing) {
        answered(await t.mcpRaw('alice', { name: 'refund.issue', args: SMALL, headers }), 400, '-32020');
      }
      await effects(t, 'refund.issue', 0);
      await audited(t, { capability: 'refund.issue', type: 'started' }, 0);
      answered(await t.mcpRaw('alice', { name: 'refund.issue', args: SMALL }), 200);
      await effects(t, 'refund.issue', 1);
    },
  },
];

/** Everything the caller of a tool can see of an answer, but for when it was sent. */
function seen({ status, text, headers }: McpAnswer): object {
  const { date: _date, ...others } = headers;
  return { status, text, headers: others };
}

async function names(t: Driver, who: string): Promise<readonly string[]> {
  const { result } = await t.mcpRaw(who, { method: 'tools/list' });
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

function errorOf({ result }: McpAnswer): { readonly field?: string } {
  return (result as { _meta: { 'nest-capabilities/error': { field?: string } } })._meta[
    'nest-capabilities/error'
  ];
}
