import { strict as assert } from 'node:assert';
import { withdrawnEvent, voidedEvent } from '../approvals/approval-events.js';
import { loadInput } from '../approvals/approval-input.js';
import type { CreateResult } from '../approvals/approval-store.js';
import { uuid } from '../kernel/ids.js';
import {
  approved,
  ask,
  decide,
  eventTypes,
  freshTenant,
  MINUTE,
  person,
  requestData,
  suspended,
  type StoreUnderTest,
  tally,
} from './store-fixtures.js';
import { testGlobals } from './test-globals.js';

const opened = (result: CreateResult) => {
  assert.ok(result.status === 'open');
  return result;
};

/** Requests, decisions and windows. */
export function approvalStoreContract(under: () => StoreUnderTest): void {
  const { describe, it } = testGlobals();

  describe('approvals', () => {
    it('gives back exactly what was asked for, through another instance', async () => {
      const { store, other } = under();
      const tenant = freshTenant();
      const data = requestData(tenant);
      const before = Date.now();
      opened(await store.approvals.create(data, data.id, suspended));
      const record = (await other.approvals.get(tenant, data.id))!;
      for (const [key, value] of Object.entries(data))
        assert.deepEqual(record[key as keyof typeof data], value, key);
      assert.equal(record.state, 'pending');
      assert.equal(record.decideBy - record.createdAt, data.decideWithin);
      assert.ok(record.createdAt >= before - 2_000);
      assert.deepEqual(loadInput(record, []), { orderId: 'o1', amount: 500n, at: new Date(0) });
    });

    it('answers unknown, malformed and other tenants’ ids with nothing', async () => {
      const { store } = under();
      const record = await ask(store, freshTenant());
      assert.equal(await store.approvals.get(record.tenant, uuid()), undefined);
      assert.equal(await store.approvals.get(record.tenant, `${record.id}'`), undefined);
      assert.equal(await store.approvals.get(freshTenant(), record.id), undefined);
      const elsewhere = { ...record, tenant: freshTenant() };
      assert.equal((await decide(store, elsewhere, 'carol')).status, 'not-found');
    });

    it('coalesces 20 identical requests into one record and one event', async () => {
      const { store, other } = under();
      const tenant = freshTenant();
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? store : other).approvals.create(requestData(tenant), `same-${tenant}`, suspended),
        ),
      );
      const results = asked.map(opened);
      assert.equal(new Set(results.map((result) => result.record.id)).size, 1);
      assert.equal(results.filter((result) => result.created).length, 1);
      assert.deepEqual(await eventTypes(store, tenant), ['suspended']);
    });

    it('opens a new request once the identical one is over', async () => {
      const { store, clock } = under();
      const tenant = freshTenant();
      const key = `again-${tenant}`;
      const first = opened(await store.approvals.create(requestData(tenant), key, suspended)).record;
      await decide(store, first, 'bob', 'reject');
      const second = opened(await store.approvals.create(requestData(tenant), key, suspended)).record;
      assert.notEqual(second.id, first.id);
      clock.advance(15 * MINUTE + 1);
      const third = opened(await store.approvals.create(requestData(tenant), key, suspended)).record;
      assert.notEqual(third.id, second.id);
      assert.equal((await store.approvals.get(tenant, second.id))!.state, 'expired');
    });

    it('approves at the quorum, counts each human once, and starts the window then', async () => {
      const { store } = under();
      const record = await ask(store, freshTenant(), { quorum: 2 });
      const first = await decide(store, record, 'bob');
      assert.ok(
        first.status === 'moved' && first.record.state === 'pending' && first.record.executeBy === null,
      );
      assert.equal((await decide(store, record, 'bob')).status, 'duplicate');
      const second = await decide(store, record, 'dave');
      assert.ok(second.status === 'moved' && second.record.state === 'approved');
      assert.deepEqual(
        second.record.votes.map((vote) => vote.human),
        ['bob', 'dave'],
      );
      assert.equal(second.record.decision?.by, 'dave');
      assert.ok(second.record.executeBy! - second.record.decision.at >= record.executeWithin - 1_000);
      assert.deepEqual(await eventTypes(store, record.tenant), ['suspended', 'decided', 'decided']);
    });

    it('one reject denies, with its reason kept verbatim', async () => {
      const { store } = under();
      const record = await ask(store, freshTenant(), { quorum: 2 });
      await decide(store, record, 'bob');
      const denied = await decide(store, record, 'dave', 'reject', 'no \u0000 "quoted"\nline');
      assert.ok(denied.status === 'moved' && denied.record.state === 'denied');
      const read = (await store.approvals.get(record.tenant, record.id))!;
      assert.deepEqual(read.decision, {
        ...read.decision,
        decision: 'reject',
        by: 'dave',
        reason: 'no \u0000 "quoted"\nline',
      });
    });

    it('of 100 racing decisions one wins; losers learn who', async () => {
      const { store, other } = under();
      const record = await ask(store, freshTenant());
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          decide(index % 2 ? store : other, record, `human-${index}`, index % 3 ? 'approve' : 'reject'),
        ),
      );
      assert.deepEqual(tally(results.map((result) => result.status)), { moved: 1, refused: 99 });
      const winner = results.find((result) => result.status === 'moved')!;
      for (const result of results) {
        assert.ok(result.status !== 'not-found');
        assert.equal(result.record.decision?.by, winner.status === 'moved' ? winner.record.decision?.by : '');
      }
      assert.deepEqual(await eventTypes(store, record.tenant), ['suspended', 'decided']);
    });

    it('expires when either window closes, and says so in record, list and audit', async () => {
      const { store, clock } = under();
      const tenant = freshTenant();
      const undecided = await ask(store, tenant);
      const unused = await approved(store, tenant);
      clock.advance(15 * MINUTE + 1);
      const late = await decide(store, undecided, 'bob');
      assert.ok(late.status === 'refused' && late.record.state === 'expired');
      const { records } = await store.approvals.list({ tenant, limit: 10 });
      assert.deepEqual(
        records.map((record) => [record.id, record.state]),
        [
          [unused.id, 'expired'],
          [undecided.id, 'expired'],
        ],
      );
      const types = tally(await eventTypes(store, tenant));
      assert.equal(types['expired'], 2);
    });

    it('cancels and voids once, and only from states that allow it', async () => {
      const { store } = under();
      const actor = (tenant: string) => ({
        principal: person(tenant, 'alice'),
        surface: 'rest' as const,
        at: Date.now(),
      });
      const pending = await ask(store, freshTenant());
      const { tenant, id } = pending;
      const cancel = () =>
        store.approvals.cancel(tenant, id, 'changed my mind', (after) =>
          withdrawnEvent(after, actor(tenant)),
        );
      const cancelled = await cancel();
      assert.ok(cancelled.status === 'moved' && cancelled.record.note === 'changed my mind');
      assert.equal((await cancel()).status, 'refused');
      assert.equal((await decide(store, pending, 'bob')).status, 'refused');
      const ready = await approved(store, tenant);
      const voidIt = (target: string) =>
        store.approvals.void(tenant, target, 'disabled', (after) => voidedEvent(after, Date.now()));
      const voided = await voidIt(ready.id);
      assert.ok(voided.status === 'moved' && voided.record.state === 'void');
      assert.equal((await voidIt((await ask(store, tenant)).id)).status, 'refused');
    });

    it('lists by tenant, state, capability, type and requester, in pages that neither miss nor repeat', async () => {
      const { store } = under();
      const tenant = freshTenant();
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) {
        ids.push(
          (
            await ask(store, tenant, {
              type: index % 2 ? 'odd' : null,
              requester: person(tenant, `r${index}`),
            })
          ).id,
        );
      }
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const request = {
          tenant,
          limit: 2,
          order: 'oldest' as const,
          ...(cursor === undefined ? {} : { cursor }),
        };
        const page = await store.approvals.list(request);
        seen.push(...page.records.map((record) => record.id));
        cursor = page.next;
      } while (cursor !== undefined);
      assert.deepEqual(seen, ids);
      const found = async (filter: object) =>
        (await store.approvals.list({ tenant, limit: 10, order: 'oldest', ...filter })).records.map(
          (record) => ids.indexOf(record.id),
        );
      assert.deepEqual(await found({ type: 'odd' }), [1, 3]);
      assert.deepEqual(await found({ requester: 'r4' }), [4]);
      assert.deepEqual(await found({ states: ['approved', 'denied'] }), []);
      assert.deepEqual(await found({ states: ['pending'], capability: 'refund.issue' }), [0, 1, 2, 3, 4]);
      assert.deepEqual(await found({ capability: 'other' }), []);
    });
  });
}
