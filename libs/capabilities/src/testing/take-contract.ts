import { strict as assert } from 'node:assert';
import { resolvedEvent } from '../approvals/approval-events.js';
import type { ApprovalRecord } from '../approvals/approval-record.js';
import { storedSuccess } from '../execution/stored-outcome.js';
import { uuid } from '../kernel/ids.js';
import {
  ANY_OUTPUT,
  answer,
  approved,
  ask,
  decide,
  event,
  eventTypes,
  freshTenant,
  keyOf,
  MINUTE,
  person,
  type StoreUnderTest,
  takeRequest,
  taken,
  tally,
} from './store-fixtures.js';
import { testGlobals } from './test-globals.js';

/** Claiming an approval, and what becomes of the claim. */
export function takeContract(under: () => StoreUnderTest): void {
  const { describe, it } = testGlobals();
  const state = async ({ tenant, id }: ApprovalRecord) =>
    (await under().store.approvals.get(tenant, id))!.state;

  describe('take', () => {
    it('lets one of 200 racers claim an approval, and stores one `started`', async () => {
      const { store, other } = under();
      const record = await approved(store, freshTenant());
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, index) => (index % 2 ? store : other).take(takeRequest(record))),
      );
      assert.deepEqual(tally(results.map(answer)), { taken: 1, 'refused:CONSUMED': 199 });
      assert.deepEqual(tally(await eventTypes(store, record.tenant)), {
        suspended: 1,
        decided: 1,
        started: 1,
      });
    });

    it('answers each state with its own reason and claims nothing', async () => {
      const { store, clock } = under();
      const tenant = freshTenant();
      const pending = await ask(store, tenant);
      assert.equal(answer(await store.take(takeRequest(pending))), 'pending');
      const denied = await ask(store, tenant);
      await decide(store, denied, 'bob', 'reject');
      assert.equal(answer(await store.take(takeRequest(denied))), 'refused:APPROVAL_DENIED');
      assert.equal(answer(await store.take(takeRequest({ ...pending, id: uuid() }))), 'refused:NOT_FOUND');
      assert.equal(
        answer(await store.take(takeRequest({ ...pending, tenant: freshTenant() }))),
        'refused:NOT_FOUND',
      );
      const unused = await approved(store, tenant);
      clock.advance(5 * MINUTE + 1);
      assert.equal(answer(await store.take(takeRequest(unused))), 'refused:EXPIRED');
      assert.equal(await state(unused), 'expired');
      assert.ok(!(await eventTypes(store, tenant)).includes('started'));
    });

    it('refuses a changed contract or policy without burning the approval', async () => {
      const { store } = under();
      const record = await approved(store, freshTenant());
      const { tenant, id } = record;
      for (const change of [{ fingerprint: 'contract-2' }, { policyVersion: '2' }]) {
        const approval = { tenant, id, fingerprint: 'contract-1', policyVersion: '1', ...change };
        assert.equal(
          answer(await store.take(takeRequest(record, { approval }))),
          'refused:CAPABILITY_CHANGED',
        );
      }
      taken(await store.take(takeRequest(record)));
    });

    it('stores the outcome with its terminal event', async () => {
      const { store, other } = under();
      const record = await approved(store, freshTenant());
      const { claim } = taken(await store.take(takeRequest(record)));
      const outcome = storedSuccess(ANY_OUTPUT, { refunded: 500n }, []);
      assert.equal(await store.complete(claim, outcome, event(record.tenant, 'completed')), true);
      const read = (await other.approvals.get(record.tenant, record.id))!;
      assert.equal(read.state, 'succeeded');
      assert.deepEqual(read.outcome, outcome);
      assert.equal(read.claimedBy, claim.executionId);
      assert.equal((await eventTypes(store, record.tenant)).at(-1), 'completed');
      assert.equal(answer(await other.take(takeRequest(record))), 'refused:CONSUMED');
    });

    it('gives a claim back when nothing ran, once', async () => {
      const { store } = under();
      const record = await approved(store, freshTenant());
      const { claim } = taken(await store.take(takeRequest(record)));
      assert.equal(await store.release(claim, event(record.tenant, 'failed')), true);
      assert.equal(await state(record), 'approved');
      assert.equal(await store.release(claim, event(record.tenant, 'failed')), false);
      const again = taken(await store.take(takeRequest(record)));
      assert.equal(
        await store.complete(claim, storedSuccess(undefined, 1, []), event(record.tenant, 'completed')),
        false,
      );
      assert.equal(
        await store.complete(again.claim, storedSuccess(undefined, 1, []), event(record.tenant, 'completed')),
        true,
      );
    });

    it('turns an abandoned claim unknown, never runs it again, and lets an operator resolve it', async () => {
      const { store, clock } = under();
      const tenant = freshTenant();
      const scope = keyOf(tenant);
      const record = await approved(store, tenant, { idempotency: scope });
      const { claim } = taken(await store.take(takeRequest(record, { leaseMs: 2 * MINUTE })));
      assert.equal(await state(record), 'claimed');
      clock.advance(2 * MINUTE + 1);
      assert.equal(await state(record), 'unknown');
      assert.equal((await eventTypes(store, tenant)).at(-1), 'failed');
      assert.equal(answer(await store.take(takeRequest(record))), 'refused:CONSUMED');
      assert.equal(
        await store.complete(claim, storedSuccess(undefined, 1, []), event(tenant, 'completed')),
        false,
      );
      assert.deepEqual(await store.idempotency.look(scope, record.inputHash), { status: 'unknown' });
      const actor = { principal: person(tenant, 'operator'), surface: 'rest' as const, at: Date.now() };
      const resolve = () =>
        store.approvals.resolve(tenant, record.id, 'succeeded', 'seen at the bank', (after) =>
          resolvedEvent(after, actor, 'succeeded'),
        );
      const resolved = await resolve();
      assert.ok(resolved.status === 'moved' && resolved.record.state === 'succeeded');
      assert.equal((await resolve()).status, 'refused');
      assert.equal((await store.idempotency.look(scope, record.inputHash)).status, 'done');
    });

    it('an unknown outcome stays unknown', async () => {
      const { store } = under();
      const record = await approved(store, freshTenant());
      const { claim } = taken(await store.take(takeRequest(record)));
      await store.complete(claim, { status: 'unknown', reason: 'TIMEOUT' }, event(record.tenant, 'failed'));
      assert.equal(await state(record), 'unknown');
    });

    it('without approval or key stores just `started`', async () => {
      const { store } = under();
      const tenant = freshTenant();
      const { claim } = taken(
        await store.take({ executionId: 'e1', leaseMs: MINUTE, started: event(tenant, 'started') }),
      );
      assert.equal(
        await store.complete(claim, storedSuccess(undefined, 1, []), event(tenant, 'completed')),
        true,
      );
      assert.deepEqual(await eventTypes(store, tenant), ['started', 'completed']);
    });
  });
}
