import { ADAPTERS, type Reply, type SendOptions } from '../rest/rest-app.js';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.js';

const HOSTILE = '</pre><script>alert(1)</script>" onload="x';
const BIDI = 'pay\u202Elatot\u2066\u200B\u3164\u0007 50\u00A0USD';

describe.each(ADAPTERS)('the decision page on %s', (adapter) => {
  let desk: ApprovalsApp;
  let id: string;

  beforeEach(async () => {
    desk = await startApprovalsApp(adapter);
    id = await desk.ask({ memo: 'Damaged in transit' });
  });
  afterEach(() => desk?.close());

  const open = (as = 'bob'): Promise<Reply> =>
    desk.send('GET', `/approvals/${id}/page`, { as: null, headers: { cookie: `session=${as}` } });
  const tokenOf = (page: Reply): string => /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const submit = (
    fields: Readonly<Record<string, string>>,
    { as = 'bob', ...headers }: Readonly<Record<string, string>> = {},
    options: Partial<SendOptions> = {},
  ): Promise<Reply> =>
    desk.send('POST', `/approvals/${id}/page`, {
      as: null,
      body: new URLSearchParams(fields).toString(),
      headers: {
        cookie: `session=${as}`,
        'content-type': 'application/x-www-form-urlencoded',
        host: 'desk.test',
        origin: 'http://desk.test',
        ...headers,
      },
      ...options,
    });
  const state = async (): Promise<unknown> =>
    ((await desk.get('bob', `/approvals/${id}`)).json as { state: unknown }).state;

  it('shows who asks for what, why and until when', async () => {
    const page = await open();
    expect(page.status).toBe(200);
    for (const text of [
      'Issue a refund',
      'alice',
      'rest',
      't1',
      'refund.issue',
      'high',
      'Refunds over 100 need a second person.',
      'Damaged in transit',
      '500',
      'in 14 minutes',
      '0 of 1',
    ]) {
      expect(page.text).toContain(text);
    }
    const { inputHash, decideBy } = (await desk.get('bob', `/approvals/${id}`)).json as Record<
      string,
      string
    >;
    expect(page.text).toContain(inputHash!.slice(0, 12));
    expect(page.text).toContain(decideBy);
  });

  it('may be framed, cached, scripted and read by nobody', async () => {
    const { headers, text } = await open();
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = headers['content-security-policy'] as string;
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'self' 'sha256-[A-Za-z0-9+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(text).not.toContain('<script');
  });

  it('shows hostile arguments as text, with everything invisible spelt out', async () => {
    id = await desk.ask({ orderId: HOSTILE, memo: BIDI });
    const { text } = await open();
    expect(text).not.toContain('<script');
    expect(text).not.toContain('onload="x');
    expect(text).toContain('&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    for (const hidden of ['\u202E', '\u2066', '\u200B', '\u3164', '\u0007', '\u00A0'])
      expect(text).not.toContain(hidden);
    for (const shown of ['\\u{202E}', '\\u{2066}', '\\u{200B}', '\\u{3164}', '\\u{A0}', '\\u0007']) {
      expect(text).toContain(shown);
    }
  });

  it('shows a long argument to its end', async () => {
    id = await desk.ask({ memo: `${'x'.repeat(20_000)}THE-END` });
    expect((await open()).text).toContain('THE-END');
  });

  it('approves, and goes back to the page', async () => {
    const reply = await submit({ token: tokenOf(await open()), decision: 'approve' });
    expect([reply.status, reply.headers['location']]).toEqual([303, `/approvals/${id}/page`]);
    const after = await open();
    expect(after.text).toMatch(/Approved by <bdi>bob<\/bdi> at \d{4}-/);
    expect(after.text).not.toContain('<form');
    expect((await desk.execute('alice', id)).status).toBe(200);
  });

  it('denies with a reason', async () => {
    const reply = await submit({
      token: tokenOf(await open()),
      decision: 'reject',
      reason: ' Wrong <order> ',
    });
    expect(reply.status).toBe(303);
    expect((await desk.get('alice', `/approvals/${id}`)).json).toMatchObject({
      state: 'denied',
      decision: { by: 'bob', reason: 'Wrong <order>' },
    });
    expect((await open('alice')).text).toContain('Reason: <bdi>Wrong &lt;order&gt;</bdi>');
  });

  it('tells a late click who decided and when', async () => {
    const token = tokenOf(await open());
    await desk.decide('dave', id, 'reject');
    const late = await submit({ token, decision: 'approve' });
    expect(late.status).toBe(409);
    expect(late.text).toMatch(/Already decided by dave at \d{4}-\d\d-\d\dT[\d:.]+Z\./);
    expect(await state()).toBe('denied');
  });

  it.each([
    ['another origin', { origin: 'http://evil.test' }],
    ['an origin that is no URL', { origin: 'evil' }],
    ['a sandboxed page', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a page without proof', { origin: 'null' }],
  ])('refuses a decision from %s', async (_name, headers) => {
    const reply = await submit({ token: tokenOf(await open()), decision: 'approve' }, headers);
    expect(reply.status).toBe(403);
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'");
    expect(await state()).toBe('pending');
  });

  it('takes the proof of a browser whose referrer is withheld', async () => {
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' };
    expect((await submit({ token: tokenOf(await open()), decision: 'approve' }, headers)).status).toBe(303);
  });

  it('refuses a form without its token, or with the token of another person, approval or hour', async () => {
    const token = tokenOf(await open());
    const others = tokenOf(await open('dave'));
    expect(others).not.toBe('');
    const [expires, mac] = token.split('.');
    for (const forged of ['', others, `${Number(expires) + 1}.${mac}`, `${token}0`, 'x', '.']) {
      const reply = await submit({ token: forged, decision: 'approve' });
      expect([forged, reply.status]).toEqual([forged, 403]);
    }
    expect((await submit({ decision: 'approve' })).status).toBe(403);
    const first = id;
    id = await desk.ask({ orderId: 'o2' });
    expect((await submit({ token, decision: 'approve' })).status).toBe(403);
    id = first;
    expect(await state()).toBe('pending');
  });

  it('refuses an old form', async () => {
    const token = tokenOf(await open());
    desk.clock.advance(61 * 60_000);
    expect((await submit({ token, decision: 'approve' })).status).toBe(403);
  });

  it('takes only its own form', async () => {
    const token = tokenOf(await open());
    const json = await submit(
      {},
      { 'content-type': 'application/json' },
      { body: JSON.stringify({ token, decision: 'approve' }) },
    );
    expect(json.status).toBe(415);
    expect((await submit({ token, decision: 'maybe' })).status).toBe(400);
    const twice = await submit({}, {}, { body: `token=${token}&decision=reject&decision=approve` });
    expect(twice.status).toBe(400);
    expect(await state()).toBe('pending');
  });

  it('gives the requester no form, and their post no effect', async () => {
    const page = await open('alice');
    expect([page.status, tokenOf(page)]).toEqual([200, '']);
    expect(
      (await submit({ token: tokenOf(await open()), decision: 'approve' }, { as: 'alice' })).status,
    ).toBe(403);
    expect(await state()).toBe('pending');
  });

  it('asks who is there, and tells strangers nothing', async () => {
    const nobody = await desk.send('GET', `/approvals/${id}/page`, { as: null });
    expect([nobody.status, nobody.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(nobody.headers['content-type']).toBe('text/html; charset=utf-8');
    const stranger = await open('carol');
    const seen = id;
    id = 'not-an-id';
    const unknown = await open('carol');
    expect([stranger.status, stranger.text]).toEqual([404, unknown.text]);
    expect(stranger.text).not.toContain(seen);
  });

  it('answers by bearer token too', async () => {
    const page = await desk.get('bob', `/approvals/${id}/page`);
    expect([page.status, tokenOf(page) === '']).toEqual([200, false]);
  });
});
