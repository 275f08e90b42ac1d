import { setTimeout as sleep } from 'node:timers/promises';
import { Capability, CapabilityHost, type HandlerContext } from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS } from './fixture/fixture-app.js';
import { call, type Era } from './support/raw-client.js';
import { startTokenApp, type TokenApp } from './support/token-app.js';

const Nothing = z.object({});
const CALLS = 800;
const AT_ONCE = 50;

@CapabilityHost({ namespace: 'who', expose: ['mcp'], risk: 'low', permission: 'who:ask' })
class Who {
  @Capability.read({ description: 'Tells who asks.', inputSchema: Nothing })
  me(_input: object, ctx: HandlerContext<{ id: string }>): Promise<string> {
    return sleep(Math.random() * 20, ctx.user.id);
  }
}

describe.each(ADAPTERS)('identities of concurrent MCP calls on %s', (adapter) => {
  let server: TokenApp;

  beforeAll(async () => {
    server = await startTokenApp({ adapter, providers: [Who] });
  });
  afterAll(() => server.app.close());

  it(`never swaps two of ${CALLS} mixed calls in both eras`, async () => {
    const users = ['alice', 'bob', 'carol', 'dave'];
    const tokens = await Promise.all(users.map((user) => server.issue(user, 'who:ask')));
    const swapped: string[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let id = next++; id < CALLS; id = next++) {
        const who = id % users.length;
        const era: Era = Math.floor(id / users.length) % 2 === 0 ? 'modern' : 'legacy';
        const { json } = await call(server.url, 'who_me', {}, { token: tokens[who]!, era, id });
        const answer = json['result']?.content?.[0]?.text as unknown;
        if (answer !== users[who] || json['id'] !== id) swapped.push(`${id} ${era}: ${String(answer)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    expect(swapped).toEqual([]);
  }, 30_000);
});
