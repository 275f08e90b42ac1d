import { ADAPTERS } from '../../src/http-app.js';
import { validInput, type InputSchema } from '../support/valid-input.js';
import { AddedModule } from './added-capability.js';
import { errorOf, RunningDesk, type Reply } from './running-desk.js';

const MANAGER = 'mia';
const VIEWER = 'vic';
const SECRET = 'postgres://desk:S3CRET@10.0.0.5/desk';

describe.each(ADAPTERS)('the demo on %s', (adapter) => {
  let desk: RunningDesk;

  beforeAll(async () => {
    desk = await RunningDesk.start(adapter, [AddedModule]);
  });
  beforeEach(() => desk.data.seed());
  afterAll(() => desk?.close());

  const exposed = (): readonly {
    name: string;
    permission: string | null;
    input: Record<string, unknown>;
  }[] =>
    desk.registry.exposedOn('rest').map(({ name, permission, input }) => ({
      name,
      permission,
      input: validInput(input.exact as InputSchema) as Record<string, unknown>,
    }));

  /** Calls every exposed capability and gives what `read` finds in each reply, by name. */
  async function everyCall<T>(
    who: string | null,
    change: (input: Record<string, unknown>) => Record<string, unknown>,
    read: (reply: Reply) => T,
  ): Promise<Record<string, T>> {
    const found: Record<string, T> = {};
    for (const { name, input } of exposed()) {
      desk.data.seed();
      found[name] = read(await desk.call(who, name, change(input)));
    }
    return found;
  }

  const expectEach = <T>(
    expected: (capability: { name: string; permission: string | null }) => T,
  ): Record<string, T> =>
    Object.fromEntries(exposed().map((capability) => [capability.name, expected(capability)]));

  it('documents exactly the capabilities that REST exposes, and an added class with no other edit (SI-03)', () => {
    const names = exposed().map(({ name }) => name);
    expect([...desk.operations().keys()].sort()).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['added.reverse', 'orders.find', 'desk.openingHours']));
    expect(names).not.toContain('customers.export');
  });

  it('covers every side effect', () => {
    const effects = desk.registry.all().map(({ sideEffect }) => sideEffect);
    expect([...new Set(effects)].sort()).toEqual(['destructive', 'external', 'none', 'read', 'write']);
  });

  it('answers 200 to a permitted token and a generated input', async () => {
    const statuses = await everyCall(
      MANAGER,
      (input) => input,
      ({ status }) => status,
    );
    expect(statuses).toEqual(expectEach(() => 200));
  });

  it('answers 401 without a token, except where anyone may ask (SI-02)', async () => {
    const statuses = await everyCall(
      null,
      (input) => input,
      ({ status }) => status,
    );
    expect(statuses).toEqual(
      expectEach(({ name, permission }) =>
        permission === null ? 200 : name === 'orders.reprice' ? 404 : 401,
      ),
    );
  });

  it('answers 403 before any schema detail (SI-05)', async () => {
    const refused = exposed().filter(
      ({ name, permission }) => name !== 'orders.reprice' && permission !== null,
    );
    const replies = await everyCall(
      VIEWER,
      () => ({ bogus: 1 }),
      ({ status, text }) => ({ status, body: text.replace(/"executionId":"\w+"/, '') }),
    );
    const bodies = refused
      .filter(({ permission }) => permission !== 'documents:read')
      .map(({ name }) => replies[name]);
    expect(bodies.length).toBeGreaterThan(8);
    expect(bodies.map((reply) => reply?.status)).toEqual(bodies.map(() => 403));
    expect(new Set(bodies.map((reply) => reply?.body)).size).toBe(1);
  });

  it('answers 400 naming an unknown field (SI-11)', async () => {
    const answers = await everyCall(
      MANAGER,
      (input) => ({ ...input, bogus: '1' }),
      (reply) => [reply.status, reply.status === 400 ? errorOf(reply).field : reply.text],
    );
    expect(answers).toEqual(expectEach(() => [400, 'bogus']));
  });

  it('answers 400 naming a field of the wrong type', async () => {
    for (const { name, input } of exposed()) {
      const [field] = Object.keys(input);
      if (field === undefined || desk.operations().get(name)?.method === 'GET') continue;
      const reply = await desk.call(MANAGER, name, { ...input, [field]: { wrong: true } });
      expect([name, reply.status, errorOf(reply).field]).toEqual([name, 400, field]);
    }
  });

  it('answers unknown, unexposed and hidden names with the same bytes (SI-04)', async () => {
    const bodies: readonly [string, string][] = [
      ['application/json', '{"percent":5}'],
      ['application/json', '{"percent":'],
      ['text/plain', 'percent=5'],
    ];
    const replies: string[] = [];
    for (const name of ['nope.nope', 'customers.export', 'orders.reprice']) {
      for (const [type, body] of bodies) {
        const reply = await desk.http('ada', 'POST', `/capabilities/${name}`, {
          body,
          headers: { 'content-type': type },
        });
        const headers = [...reply.headers]
          .filter(([header]) => header !== 'date')
          .map((pair) => pair.join('='));
        replies.push(JSON.stringify([reply.status, reply.text, headers.sort()]));
      }
    }
    expect(new Set(replies).size).toBe(1);
    expect(replies[0]).toMatch(/^\[404,/);
  });

  it('masks an internal error and logs it once, without the secret (SI-15)', async () => {
    const broken = {
      get: (): never => {
        throw new Error(`connect ECONNREFUSED ${SECRET}`);
      },
      configurable: true,
    };
    const tables = ['orders', 'customers', 'documents', 'outbox', 'openingHours'] as const;
    for (const { name, input } of exposed().filter(({ name }) => name !== 'added.reverse')) {
      const kept = tables.map(
        (table) => [table, Object.getOwnPropertyDescriptor(desk.data, table)!] as const,
      );
      for (const table of tables) Object.defineProperty(desk.data, table, broken);
      const before = desk.logged.length;
      const reply = await desk.call(MANAGER, name, input);
      for (const [table, descriptor] of kept) Object.defineProperty(desk.data, table, descriptor);
      const logged = desk.logged.slice(before);
      expect([name, reply.status, errorOf(reply).reason]).toEqual([name, 500, 'INTERNAL']);
      expect([reply.text, ...logged].join('\n')).not.toMatch(/S3CRET|ECONNREFUSED postgres:\/\/desk/);
      expect([name, logged.length, logged.join().includes(name)]).toEqual([name, 1, true]);
    }
  });

  it('keeps tenants apart and takes identity from the token alone (SI-01)', async () => {
    const other = await desk.call('sol', 'orders.find', { orderId: 'ord_1001' });
    const claimed = await desk.http('sol', 'POST', '/capabilities/orders.find', {
      body: '{"orderId":"ord_1001"}',
      headers: { 'content-type': 'application/json', 'x-tenant': 'north', 'x-user': 'mia' },
    });
    expect([other.status, claimed.status]).toEqual([404, 404]);
    expect((await desk.call('sol', 'orders.find', { orderId: 'ord_2001' })).status).toBe(200);
  });

  it('strips undeclared fields and redacts by principal (SI-13, SI-14)', async () => {
    const agent = await desk.call('ada', 'customers.find', { customerId: 'cus_1' });
    const manager = await desk.call(MANAGER, 'customers.find', { customerId: 'cus_1' });
    expect(JSON.parse(agent.text)).toMatchObject({ email: 'g***@example.com' });
    expect(JSON.parse(manager.text)).toMatchObject({ email: 'grace@example.com' });
    expect(manager.text).not.toMatch(/passwordHash|tenant/);
  });

  it('decodes path and query of a custom GET route', async () => {
    const reply = await desk.call('ada', 'orders.list', { customerId: 'cus_1', status: 'shipped', limit: 1 });
    expect(JSON.parse(reply.text)).toEqual({ orders: [{ id: 'ord_1002', status: 'shipped', total: 4990 }] });
    const bad = await desk.call('ada', 'orders.list', { customerId: 'cus_1', limit: 'many' });
    expect([bad.status, errorOf(bad).field]).toEqual([400, 'limit']);
  });

  it('answers a declared failure with its fields and its fix', async () => {
    const reply = await desk.call(MANAGER, 'orders.refund', {
      orderId: 'ord_1002',
      amount: 9_999,
      reason: 'Too much',
    });
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
      409,
      {
        error: {
          failure: { tag: 'NotRefundable', refundable: 4_990 },
          hint: expect.stringContaining('Refund at most') as unknown,
        },
      },
    ]);
  });

  it('leaves the ordinary controller as it was', async () => {
    const created = await desk.http(null, 'POST', '/articles', {
      body: '{"title":"Gift wrapping","body":"Ask at checkout."}',
      headers: { 'content-type': 'application/json' },
    });
    const refused = await desk.http(null, 'POST', '/articles', {
      body: '{"title":"x"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([created.status, refused.status]).toEqual([201, 400]);
  });

  it('sent no response that its own document does not describe', () => {
    expect(desk.undocumented).toEqual([]);
  });
});
