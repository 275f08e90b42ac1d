import { Capability, CapabilityHost } from 'nest-capabilities';
import { ADAPTERS } from './fixture/fixture-app.js';
import { complaints, runScript } from './support/run-script.js';
import { startTokenApp, type TokenApp } from './support/token-app.js';

@CapabilityHost({ namespace: 'notes', expose: ['mcp'], risk: 'low' })
class Notes {
  @Capability.read({ description: 'Lists the notes.', permission: 'notes:read' })
  list(): string {
    return 'No notes.';
  }

  @Capability.read({ description: 'Exports the notes.', permission: 'notes:export' })
  export(): string {
    return 'Exported.';
  }
}

describe.each(ADAPTERS)('MCP authorization on %s', (adapter) => {
  let server: TokenApp;

  beforeAll(async () => {
    server = await startTokenApp({ adapter, providers: [Notes] });
  });
  afterAll(() => server.app.close());

  it('answers every probe of a protected resource, scope challenges included (SI-31)', async () => {
    const good = await server.issue('alice', 'notes:read notes:export');
    const low = await server.issue('alice', 'notes:read');
    const expired = await server.issue('alice', 'notes:read', { expiresIn: '-1h' });
    const wrongAudience = await server.issue('alice', 'notes:read', {
      audience: 'https://other.example.com/mcp',
    });
    const run = await runScript('probe-auth.mjs', [
      server.url,
      '--good',
      good,
      '--low',
      low,
      '--expired',
      expired,
      '--wrong-aud',
      wrongAudience,
      '--scoped-tool',
      'notes_export',
      '--scope',
      'notes:export',
    ]);

    expect(complaints(run)).toEqual([]);
    expect(run.output.match(/^ok /gm)?.length).toBeGreaterThanOrEqual(23);
    expect(run.code).toBe(0);
  });

  it.each(['GET', 'DELETE', 'PUT'])(
    'asks for credentials before it refuses the method %s',
    async (method) => {
      const anonymous = await fetch(server.url, { method });
      const known = await fetch(server.url, {
        method,
        headers: { authorization: `Bearer ${await server.issue('alice', 'notes:read')}` },
      });

      expect(anonymous.status).toBe(401);
      expect(known.status).toBe(405);
      expect(known.headers.get('allow')).toBe('POST');
    },
  );
});
