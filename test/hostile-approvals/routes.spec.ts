import { ADAPTERS, type Reply } from '../rest/rest-app.js';
import { type ApprovalsApp, reasonOf, startApprovalsApp } from '../approvals/approvals-app.js';

const list = (reply: Reply): readonly { readonly approvalId: string }[] =>
  (reply.json as { approvals: { approvalId: string }[] }).approvals;

describe.each(ADAPTERS)('the approval routes on %s', (adapter) => {
  let desk: ApprovalsApp;
  let id: string;

  beforeEach(async () => {
    desk = await startApprovalsApp(adapter);
    id = await desk.ask({ memo: 'SECRET-MEMO' });
  });
  afterEach(() => desk?.close());

  it('show nothing to another tenant, to no view and by no cursor', async () => {
    for (const query of [
      '',
      '?view=own',
      '?view=decidable',
      '?view=all',
      '?cursor=0&order=oldest',
      '?cursor=999999',
    ]) {
      const reply = await desk.get('carol', `/approvals${query}`);
      expect(reply.text).not.toContain('SECRET-MEMO');
      expect(reply.text).not.toContain(id);
    }
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const path of ['', '/page', '/outcome']) {
      const [mine, none] = [
        await desk.get('carol', `/approvals/${id}${path}`),
        await desk.get('carol', `/approvals/${unknown}${path}`),
      ];
      expect([mine.status, mine.text.replaceAll(id, unknown)]).toEqual([404, none.text]);
    }
    for (const path of ['decision', 'execute', 'cancel', 'resolution']) {
      const body =
        path === 'decision' ? { decision: 'approve' } : path === 'resolution' ? { outcome: 'failed' } : {};
      expect((await desk.post('carol', `/approvals/${id}/${path}`, body)).status).toBe(404);
    }
  });

  it('give the whole tenant to auditors only', async () => {
    expect((await desk.get('bob', '/approvals?view=all')).status).toBe(403);
    expect((await desk.get('alice', '/approvals?view=all')).status).toBe(403);
    expect((await desk.get('guest', '/approvals?view=all')).status).toBe(401);
    expect(list(await desk.get('auditor', '/approvals?view=all'))).toHaveLength(1);
    expect(list(await desk.get('auditor', '/approvals?view=decidable'))).toEqual([]);
    expect(list(await desk.get('bob', '/approvals?view=own'))).toEqual([]);
  });

  it.each([
    'cursor=-1',
    'cursor=1e3',
    'cursor=%00',
    'cursor=9999999999999999999',
    'limit=0',
    'limit=201',
    'limit=NaN',
    'view=everything',
    'view=own&view=all',
    'state=gone',
    'tenant=t2',
    '__proto__=1',
  ])('refuse ?%s', async (query) => {
    expect((await desk.get('auditor', `/approvals?${query}`)).status).toBe(400);
  });

  it.each([
    ['a cross-site form', { 'sec-fetch-site': 'cross-site' }],
    ['a form of an old browser', { origin: 'http://evil.test' }],
    ['a form of a sandboxed frame', { origin: 'null' }],
  ])('take no execution from %s', async (_what, headers) => {
    await desk.decide('bob', id);
    const forged = await desk.send('POST', `/approvals/${id}/execute`, {
      as: null,
      headers: { cookie: 'session=alice', 'content-type': 'text/plain', ...headers },
      body: 'x',
    });
    expect(forged.status).toBe(403);
    expect(desk.refunds.done).toEqual([]);
  });

  it('take a form token for its principal and approval only, and for an hour', async () => {
    const other = await desk.ask({ amount: 501 });
    const page = await desk.send('GET', `/approvals/${id}/page`, {
      as: null,
      headers: { cookie: 'session=bob' },
    });
    const token = /name="token" value="([^"]+)"/.exec(page.text)![1]!;
    expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const submit = (to: string, as: string, sent: string): Promise<Reply> =>
      desk.send('POST', `/approvals/${to}/page`, {
        as: null,
        body: new URLSearchParams({ token: sent, decision: 'approve' }).toString(),
        headers: {
          cookie: `session=${as}`,
          'content-type': 'application/x-www-form-urlencoded',
          host: 'desk.test',
          origin: 'http://desk.test',
        },
      });
    const [expires, mac] = token.split('.') as [string, string];
    for (const [to, as, sent] of [
      [other, 'bob', token],
      [id, 'dave', token],
      [id, 'bob', `${Number(expires) + 1}.${mac}`],
      [id, 'bob', `Infinity.${mac}`],
      [id, 'bob', mac],
      [id, 'bob', ''],
      [id, 'bob', `${expires}.${'é'.repeat(mac.length / 2)}`],
    ] as const) {
      expect((await submit(to, as, sent)).status).toBe(403);
    }
    desk.clock.advance(60 * 60_000 + 1);
    expect((await submit(id, 'bob', token)).status).toBe(403);
    expect(desk.audit.filter(({ type }) => type === 'decided')).toEqual([]);
  });

  it('tell the refused execution of a stranger nothing that an unknown id does not', async () => {
    await desk.decide('bob', id);
    expect(reasonOf(await desk.execute('bob', id))).toBe('FORBIDDEN');
    expect((await desk.execute('carol', id)).status).toBe(404);
    expect((await desk.execute('svc', id)).status).toBe(200);
    expect(reasonOf(await desk.execute('alice', id))).toBe('CONSUMED');
    expect(reasonOf(await desk.get('bob', `/approvals/${id}/outcome`))).toBe('FORBIDDEN');
    expect(desk.refunds.done).toHaveLength(1);
  });
});
