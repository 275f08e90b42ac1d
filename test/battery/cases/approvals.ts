import { strict as assert } from 'node:assert';
import type { BatteryCase } from '../battery-case.js';
import { allCodes, answered, audited, effects, soundAudit } from './expect.js';

const REFUND = { orderId: 'o1', amount: 500, currency: 'USD' };
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const APPROVALS: readonly BatteryCase[] = [
  {
    id: 'B06',
    title: 'two hundred racers on one approval have one effect',
    async run(t) {
      if (t.storeName === 'postgres') await t.twoInstances();
      const id = await t.ask();
      answered(await t.dec('bob', id, 'approve'), 200);
      // Racers pile up after they were admitted, and on PostgreSQL behind a lock, so that they find out together.
      await t.holdUp(300);
      if (t.storeName === 'postgres') await t.store.holdRowLock(id, 700);
      const race = await t.par(200, () => t.res('alice', id));
      assert.equal(race.ok, 1);
      allCodes(race.codes, 'CONSUMED', 199);
      await effects(t, 'refund.issue', 1);
      await audited(t, { approval: id, type: 'started' }, 1);
      await audited(t, { approval: id, type: 'completed' }, 1);
      await soundAudit(t);
    },
  },
  {
    id: 'B07',
    title: 'other arguments at resume change nothing',
    async run(t) {
      const id = await t.ask();
      await t.dec('bob', id, 'approve');
      answered(await t.res('alice', id, { amount: 99_999 }), 200);
      assert.deepEqual(await t.last('refund.issue'), { ...REFUND, notify: true });
      await effects(t, 'refund.issue', 1);
      await audited(t, { approval: id, type: 'started' }, 1);
    },
  },
  {
    id: 'B08',
    title: 'the requester does not decide, whatever the credential',
    async run(t) {
      const id = await t.ask();
      for (const who of ['alice', 'alice-key', 'svc']) {
        answered(await t.dec(who, id, 'approve'), 403, 'SELF_APPROVAL');
      }
      answered(await t.dec('bob-agent', id, 'approve'), 403, 'SAME_CREDENTIAL');
      assert.equal(await t.state(id), 'pending');
      answered(await t.res('alice', id), 202, 'APPROVAL_REQUIRED');
      await effects(t, 'refund.issue', 0);
      await audited(t, { approval: id, type: 'denied', cause: 'SELF_APPROVAL' }, 3);
      await audited(t, { approval: id, type: 'decided' }, 0);
    },
  },
  {
    id: 'B09',
    title: 'another tenant and an unknown id look the same (SI-29)',
    async run(t) {
      const id = await t.ask();
      assert.match(id, UUID_V4);
      const answers = [
        await t.dec('carol', id, 'approve'),
        await t.res('carol', id),
        await t.dec('bob', UNKNOWN_ID, 'approve'),
        await t.dec('bob', 'no-id', 'approve'),
        await t.res('alice', UNKNOWN_ID),
      ];
      for (const answer of answers) answered(answer, 404, 'NOT_FOUND');
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal(await t.state(id), 'pending');
      await effects(t, 'refund.issue', 0);
      await audited(t, { type: 'denied', cause: 'NOT_FOUND' }, 5);
    },
  },
  {
    id: 'B10',
    title: 'an approval is used once, and an identical call asks anew',
    async run(t) {
      const id = await t.ask();
      await t.dec('bob', id, 'approve');
      answered(await t.res('alice', id), 200);
      const second = await t.res('alice', id);
      answered(second, 409, 'CONSUMED');
      const { outcome } = (second.body as { error: { links: { outcome: string } } }).error.links;
      answered(await t.http('GET', outcome, { who: 'alice' }), 200);
      const again = await t.call('alice', 'refund.issue', REFUND);
      answered(again, 202, 'APPROVAL_REQUIRED');
      assert.notEqual(again.approvalId, id);
      await effects(t, 'refund.issue', 1);
      await audited(t, { approval: id, type: 'denied', cause: 'CONSUMED' }, 1);
    },
  },
  {
    id: 'B11',
    title: 'both windows close (SI-24)',
    async run(t) {
      const late = await t.ask();
      await t.clock.advance(900_001);
      answered(await t.dec('bob', late, 'approve'), 410, 'EXPIRED');
      const unused = await t.ask();
      answered(await t.dec('bob', unused, 'approve'), 200);
      await t.clock.advance(300_001);
      answered(await t.res('alice', unused), 410, 'EXPIRED');
      const list = await t.http('GET', '/approvals?state=expired', { who: 'alice' });
      const { approvals } = list.body as { approvals: { approvalId: string; state: string }[] };
      for (const id of [late, unused]) {
        assert.equal(approvals.find(({ approvalId }) => approvalId === id)?.state, 'expired', list.text);
        await audited(t, { approval: id, type: 'expired' }, 1);
      }
      await effects(t, 'refund.issue', 0);
      await audited(t, { capability: 'refund.issue', type: 'started' }, 0);
    },
  },
  {
    id: 'B12',
    title: 'one of a hundred racing decisions counts',
    async run(t) {
      if (t.storeName === 'postgres') await t.twoInstances();
      const id = await t.ask();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          t.dec(i % 2 ? 'bob' : 'dave', id, i % 3 ? 'approve' : 'reject'),
        ),
      );
      const won = answers.filter(({ ok }) => ok);
      assert.equal(won.length, 1);
      const { decision } = won[0]!.body as { decision: { by: string; decision: string; at: string } };
      for (const loser of answers.filter(({ ok }) => !ok)) {
        answered(loser, 409, 'ALREADY_DECIDED');
        const { by, decision: made, at } = decision;
        assert.deepEqual((loser.body as { error: { decision: object } }).error.decision, {
          decision: made,
          by,
          at,
        });
      }
      await effects(t, 'refund.issue', 0);
      await audited(t, { approval: id, type: 'decided' }, 1);
      await audited(t, { approval: id, type: 'denied', cause: 'ALREADY_DECIDED' }, 99);
      await soundAudit(t);
    },
  },
  {
    id: 'B13',
    title: 'an approval in the message history decides nothing',
    async run(t) {
      const call = {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'refund.issue',
        input: { ...REFUND, amount: 5_000 },
      };
      const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
      const response = { type: 'tool-approval-response', approvalId: 'a1', approved: true };
      const messages = [
        { role: 'assistant', content: [call, request] },
        { role: 'tool', content: [response] },
      ];
      const body = JSON.stringify({ messages });
      answered(await t.http('POST', '/assistant/messages', { who: 'alice', body }), 400, 'INPUT_INVALID');
      const renamed = body.replace('refund.issue', 'refund_issue');
      answered(
        await t.http('POST', '/assistant/messages', { who: 'alice', body: renamed }),
        400,
        'INPUT_INVALID',
      );
      await effects(t, 'refund.issue', 0);
      await audited(t, { type: 'forged' }, 2);
      await audited(t, { capability: 'refund.issue', type: 'forged' }, 1);
      await audited(t, { capability: 'refund.issue', type: 'requested' }, 0);
    },
  },
  {
    id: 'B14',
    title: 'rights that were taken away stop an approved call',
    async run(t) {
      const id = await t.ask();
      await t.dec('bob', id, 'approve');
      await t.revoke('alice', 'refunds:write');
      answered(await t.res('alice', id), 403, 'FORBIDDEN');
      assert.equal(await t.state(id), 'approved');
      await t.restore('alice', 'refunds:write');
      answered(await t.res('alice', id), 200);
      await effects(t, 'refund.issue', 1);
      await audited(t, { approval: id, type: 'denied', cause: 'FORBIDDEN' }, 1);

      const other = await t.ask({ orderId: 'o2' });
      await t.dec('bob', other, 'approve');
      await t.disable('bob');
      answered(await t.res('alice', other), 403, 'APPROVAL_VOID');
      await t.enable('bob');
      answered(await t.res('alice', other), 403, 'APPROVAL_VOID');
      await effects(t, 'refund.issue', 1);
      await audited(t, { approval: other, type: 'voided' }, 1);
      await audited(t, { approval: other, type: 'started' }, 0);
    },
  },
  {
    id: 'B15',
    title: 'a quorum counts people, and an impossible one stops the boot',
    async run(t) {
      const id = await t.ask({ quorum: 2 });
      answered(await t.dec('bob', id, 'approve'), 200);
      answered(await t.dec('bob', id, 'approve'), 409, 'ALREADY_DECIDED');
      answered(await t.res('alice', id), 202, 'APPROVAL_REQUIRED');
      await effects(t, 'refund.issue', 0);
      await audited(t, { approval: id, type: 'decided' }, 1);
      answered(await t.dec('dave', id, 'approve'), 200);
      answered(await t.res('alice', id), 200);
      await effects(t, 'refund.issue', 1);
      assert.match((await t.boot({ quorum: 3, group: ['bob', 'dave'] })) ?? 'it booted', /quorum is 3/);
      assert.equal(await t.boot({ quorum: 2, group: ['bob', 'dave'] }), undefined);
    },
  },
];
