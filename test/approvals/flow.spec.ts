import { ADAPTERS } from '../rest/rest-app.js';
import { type ApprovalsApp, reasonOf, REFUND, startApprovalsApp } from './approvals-app.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe.each(ADAPTERS)('approvals over REST on %s', (adapter) => {
  let desk: ApprovalsApp;

  beforeEach(async () => {
    desk = await startApprovalsApp(adapter);
  });
  afterEach(() => desk?.close());

  it('goes from a call over 202 and a decision to one execution', async () => {
    const asked = await desk.call('refund.issue', REFUND, { as: 'alice' });
    expect(asked.status).toBe(202);
    const { approvalId, decideBy, ...rest } = asked.json as Record<string, string>;
    expect(approvalId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Date(decideBy!).toISOString()).toBe(decideBy);
    expect(rest).toEqual({
      status: 'approval_required',
      executeBy: null,
      reasons: ['Refunds over 100 need a second person.'],
      links: {
        self: `/approvals/${approvalId}`,
        decision: `/approvals/${approvalId}/page`,
        execute: `/approvals/${approvalId}/execute`,
      },
    });
    expect(asked.headers['location']).toBe(`/approvals/${approvalId}`);

    const early = await desk.execute('alice', approvalId!);
    expect([early.status, (early.json as { approvalId: string }).approvalId]).toEqual([202, approvalId]);
    expect(early.headers['location']).toBe(`/approvals/${approvalId}`);
    expect((await desk.get('alice', `/approvals/${approvalId}/outcome`)).status).toBe(202);

    const decided = await desk.decide('bob', approvalId!, 'approve', { reason: 'Checked the photos.' });
    expect(decided.status).toBe(200);
    expect(decided.json).toMatchObject({
      state: 'approved',
      decision: { by: 'bob', reason: 'Checked the photos.' },
    });

    const executed = await desk.execute('alice', approvalId!);
    expect([executed.status, executed.json]).toEqual([200, { refunded: 500 }]);
    const second = await desk.execute('alice', approvalId!);
    expect(second.status).toBe(409);
    expect(second.json).toMatchObject({
      error: { reason: 'CONSUMED', approvalId, links: { outcome: `/approvals/${approvalId}/outcome` } },
    });
    const outcome = await desk.get('alice', `/approvals/${approvalId}/outcome`);
    expect([outcome.status, outcome.json]).toEqual([200, { refunded: 500 }]);
    expect(outcome.headers['idempotent-replayed']).toBe('true');
    expect(desk.refunds.done).toEqual([REFUND]);

    const again = await desk.call('refund.issue', REFUND, { as: 'alice' });
    expect(again.status).toBe(202);
    expect((again.json as { approvalId: string }).approvalId).not.toBe(approvalId);
  });

  it('runs the stored input whatever is sent along', async () => {
    const id = await desk.ask();
    await desk.decide('bob', id);
    expect((await desk.execute('alice', id, { amount: 99_999 })).status).toBe(200);
    expect(desk.refunds.done).toEqual([REFUND]);
  });

  it('refuses the requester, and everything that is the requester', async () => {
    const id = await desk.ask();
    for (const who of ['alice', 'alice-key', 'svc']) {
      expect(reasonOf(await desk.decide(who, id))).toBe('SELF_APPROVAL');
    }
    expect((await desk.get('alice', `/approvals/${id}`)).json).toMatchObject({ state: 'pending', votes: [] });
  });

  it('answers another tenant, unknown and malformed ids alike, before it looks at a body', async () => {
    const id = await desk.ask();
    const replies = await Promise.all([
      desk.decide('carol', id),
      desk.execute('carol', id),
      desk.post('carol', `/approvals/${id}/cancel`),
      desk.get('carol', `/approvals/${id}`),
      desk.get('carol', `/approvals/${id}/outcome`),
      desk.decide('carol', id, 'nonsense'),
      desk.decide('bob', UNKNOWN),
      desk.decide('bob', 'not-an-id'),
      desk.execute('alice', 'not-an-id'),
      desk.post('operator', `/approvals/${UNKNOWN}/resolution`, { outcome: 'succeeded' }),
      desk.get('bob', `/approvals/${id.toUpperCase()}`),
    ]);
    const [first] = replies;
    expect(first.status).toBe(404);
    expect(first.headers).not.toHaveProperty('x-execution-id');
    expect(replies.map(({ status, text }) => [status, text])).toEqual(replies.map(() => [404, first.text]));
  });

  it('closes the windows for deciding and for executing', async () => {
    const late = await desk.ask();
    desk.clock.advance(15 * 60_000 + 1);
    expect([(await desk.decide('bob', late)).status]).toEqual([410]);
    const unused = await desk.ask();
    await desk.decide('bob', unused);
    desk.clock.advance(5 * 60_000 + 1);
    const reply = await desk.execute('alice', unused);
    expect([reply.status, reasonOf(reply)]).toEqual([410, 'EXPIRED']);
    expect(desk.refunds.done).toEqual([]);
    const { json } = await desk.get('alice', '/approvals?state=expired');
    expect(
      (json as { approvals: { approvalId: string }[] }).approvals.map((each) => each.approvalId),
    ).toEqual([unused, late]);
  });

  it('counts one of a hundred racing decisions', async () => {
    const id = await desk.ask();
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        desk.decide(index % 2 === 0 ? 'bob' : 'dave', id, index % 3 === 0 ? 'reject' : 'approve'),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const losers = replies.filter(({ status }) => status !== 200);
    expect(new Set(losers.map(({ status }) => status))).toEqual(new Set([409]));
    for (const loser of losers) {
      expect(loser.json).toMatchObject({
        error: { reason: 'ALREADY_DECIDED', decision: { by: expect.any(String) } },
      });
    }
    expect(desk.audit.filter(({ type, approvalId }) => type === 'decided' && approvalId === id)).toHaveLength(
      1,
    );
  });

  it('runs nothing once the requester lost the right, and tells of a disabled approver', async () => {
    const id = await desk.ask();
    await desk.decide('bob', id);
    desk.people.revoked.add('refunds:write');
    expect([(await desk.execute('alice', id)).status]).toEqual([403]);
    desk.people.revoked.clear();
    desk.people.disabled.add('bob');
    const reply = await desk.execute('alice', id);
    expect([reply.status, reasonOf(reply)]).toEqual([403, 'APPROVAL_VOID']);
    expect(desk.refunds.done).toEqual([]);
  });

  it('tells the requester why it was denied, and lets them withdraw', async () => {
    const denied = await desk.ask();
    await desk.decide('bob', denied, 'reject', { reason: 'Wrong order' });
    const reply = await desk.execute('alice', denied);
    expect([reply.status, reasonOf(reply)]).toEqual([403, 'APPROVAL_DENIED']);
    expect(reply.text).toContain('Wrong order');
    const withdrawn = await desk.ask({ orderId: 'o2' });
    expect(reasonOf(await desk.post('bob', `/approvals/${withdrawn}/cancel`))).toBe('FORBIDDEN');
    const cancelled = await desk.post('alice', `/approvals/${withdrawn}/cancel`, { reason: 'A mistake' });
    expect([cancelled.status, cancelled.json]).toMatchObject([
      200,
      { state: 'cancelled', note: 'A mistake' },
    ]);
    expect(reasonOf(await desk.decide('bob', withdrawn))).toBe('WITHDRAWN');
  });

  it('leaves an unknown outcome to an operator', async () => {
    const id = await desk.ask({ orderId: 'broken' });
    await desk.decide('bob', id);
    const failed = await desk.execute('alice', id);
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('postgres');
    expect(reasonOf(await desk.get('alice', `/approvals/${id}/outcome`))).toBe('OUTCOME_UNKNOWN');
    expect(reasonOf(await desk.post('bob', `/approvals/${id}/resolution`, { outcome: 'succeeded' }))).toBe(
      'FORBIDDEN',
    );
    const wrong = await desk.post('operator', `/approvals/${id}/resolution`, { outcome: 'fine' });
    expect(wrong.json).toMatchObject({ error: { field: 'outcome', allowed: ['succeeded', 'failed'] } });
    const resolved = await desk.post('operator', `/approvals/${id}/resolution`, {
      outcome: 'failed',
      reason: 'No money left',
    });
    expect([resolved.status, resolved.json]).toMatchObject([200, { state: 'failed', note: 'No money left' }]);
  });

  it('asks for credentials on every route, and takes an anonymous caller for nobody', async () => {
    const id = await desk.ask();
    for (const who of [null, 'guest']) {
      const replies = [
        await desk.get(who, '/approvals'),
        await desk.get(who, `/approvals/${id}`),
        await desk.post(who, `/approvals/${id}/decision`, { decision: 'approve' }),
        await desk.post(who, `/approvals/${id}/execute`),
      ];
      for (const reply of replies) {
        expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      }
    }
  });

  it('reads bodies as capability routes do', async () => {
    const id = await desk.ask();
    const send = (body: string, type?: string) =>
      desk.send('POST', `/approvals/${id}/decision`, {
        as: 'bob',
        body,
        headers: type === undefined ? {} : { 'content-type': type },
      });
    expect((await send('decision=approve', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await send('{"decision":"approve","decision":"reject"}', 'application/json')).status).toBe(400);
    expect((await send('{"decision":"approve"} ', 'application/json; charset=latin1')).status).toBe(415);
    expect((await send(' '.repeat(300_000), 'application/json')).status).toBe(413);
    expect((await send('{"decision":"approve","as":"bob"}', 'application/json')).json).toMatchObject({
      error: { reason: 'INPUT_INVALID', field: 'as' },
    });
    expect((await send('{"decision":"maybe"}', 'application/json')).json).toMatchObject({
      error: { field: 'decision', allowed: ['approve', 'reject'] },
    });
    expect((await desk.get('bob', `/approvals/${id}`)).json).toMatchObject({ state: 'pending' });
  });

  it('takes nothing from another site that a form could have sent', async () => {
    const id = await desk.ask();
    await desk.decide('bob', id);
    const headers = { cookie: 'session=alice', 'sec-fetch-site': 'cross-site' };
    const forged = await desk.send('POST', `/approvals/${id}/execute`, { as: null, headers });
    expect([forged.status, reasonOf(forged)]).toEqual([403, 'FORBIDDEN']);
    expect(desk.refunds.done).toEqual([]);
    const own = { cookie: 'session=alice', 'sec-fetch-site': 'same-origin' };
    expect((await desk.send('POST', `/approvals/${id}/execute`, { as: null, headers: own })).status).toBe(
      200,
    );
  });
});

describe.each(ADAPTERS)('a quorum on %s', (adapter) => {
  it('counts each human once', async () => {
    const desk = await startApprovalsApp(adapter, { quorum: 2 });
    try {
      const id = await desk.ask();
      expect((await desk.decide('bob', id)).json).toMatchObject({ state: 'pending' });
      expect(reasonOf(await desk.decide('bob', id))).toBe('ALREADY_DECIDED');
      expect((await desk.execute('alice', id)).status).toBe(202);
      expect((await desk.decide('dave', id)).json).toMatchObject({ state: 'approved' });
      expect((await desk.execute('alice', id)).status).toBe(200);
    } finally {
      await desk.close();
    }
  });
});

describe.each(ADAPTERS)('a stronger authentication on %s', (adapter) => {
  it('is asked for by a challenge, and kept from approving only', async () => {
    const desk = await startApprovalsApp(adapter, { strength: 'session' });
    try {
      const id = await desk.ask();
      const refused = await desk.decide('bob', id);
      expect([refused.status, reasonOf(refused)]).toEqual([401, 'UNAUTHENTICATED']);
      expect(refused.headers['www-authenticate']).toBe('Bearer error="insufficient_user_authentication"');
      expect(refused.json).toMatchObject({ error: { approvalId: id, hint: expect.any(String) } });
      expect((await desk.decide('bob', id, 'reject')).json).toMatchObject({ state: 'denied' });
    } finally {
      await desk.close();
    }
  });
});
