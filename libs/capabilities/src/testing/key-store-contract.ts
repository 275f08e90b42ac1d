import { strict as assert } from 'node:assert';
import { CapabilityError } from '../errors/capability-error.js';
import { loadError, loadOutput, storedFailure, storedSuccess } from '../execution/stored-outcome.js';
import { uuid } from '../kernel/ids.js';
import {
  ANY_OUTPUT,
  answer,
  approved,
  decide,
  event,
  eventTypes,
  freshTenant,
  keyOf,
  keyRequest,
  MINUTE,
  requestData,
  suspended,
  type StoreUnderTest,
  takeRequest,
  taken,
  tally,
} from './store-fixtures.js';
import { testGlobals } from './test-globals.js';

/** Idempotency keys, alone and together with an approval. */
export function keyStoreContract(under: () => StoreUnderTest): void {
  const { describe, it } = testGlobals();

  describe('idempotency keys', () => {
    it('lets one of 50 callers with one key run', async () => {
      const { store, other } = under();
      const scope = keyOf(freshTenant());
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 ? store : other).take(keyRequest(scope))),
      );
      assert.deepEqual(tally(results.map(answer)), { taken: 1, 'refused:IN_PROGRESS': 49 });
      assert.deepEqual(await eventTypes(store, scope.tenant), ['started']);
    });

    it('replays the stored output with its types, through another instance', async () => {
      const { store, other } = under();
      const scope = keyOf(freshTenant());
      assert.deepEqual(await store.idempotency.look(scope, 'hash-1'), { status: 'absent' });
      const { claim } = taken(await store.take(keyRequest(scope)));
      assert.deepEqual(await other.idempotency.look(scope, 'hash-1'), { status: 'in-progress' });
      const output = { at: new Date(1), total: 9007199254740993n, nothing: undefined, text: 'nul \u0000' };
      await store.complete(claim, storedSuccess(ANY_OUTPUT, output, []), event(scope.tenant, 'completed'));
      const again = await other.take(keyRequest(scope));
      assert.ok(again.status === 'replay' && again.outcome.status === 'succeeded');
      assert.deepEqual(loadOutput(again.outcome.output), output);
      assert.deepEqual(await other.idempotency.look(scope, 'hash-1'), {
        status: 'done',
        outcome: again.outcome,
      });
    });

    it('replays a declared failure alike', async () => {
      const { store } = under();
      const scope = keyOf(freshTenant());
      const { claim } = taken(await store.take(keyRequest(scope)));
      const failure = { tag: 'OrderClosed', orderId: 'o1' };
      const error = new CapabilityError('DECLARED_FAILURE', {
        message: 'Closed.',
        hint: 'Reopen it.',
        failure,
        status: 409,
      });
      await store.complete(claim, storedFailure(error, 'e1'), event(scope.tenant, 'failed'));
      const found = await store.idempotency.look(scope, 'hash-1');
      assert.ok(found.status === 'done' && found.outcome.status === 'failed');
      const replayed = loadError(found.outcome.error);
      assert.deepEqual(
        [replayed.reason, replayed.code, replayed.status, replayed.message, replayed.details],
        ['DECLARED_FAILURE', 'CONFLICT', 409, 'Closed.', { hint: 'Reopen it.', failure, executionId: 'e1' }],
      );
    });

    it('refuses a key with other input, whatever its state', async () => {
      const { store } = under();
      const scope = keyOf(freshTenant());
      const { claim } = taken(await store.take(keyRequest(scope)));
      assert.equal(answer(await store.take(keyRequest(scope, 'hash-2'))), 'refused:KEY_REUSED');
      await store.complete(claim, storedSuccess(undefined, 1, []), event(scope.tenant, 'completed'));
      assert.equal(answer(await store.take(keyRequest(scope, 'hash-2'))), 'refused:KEY_REUSED');
      assert.deepEqual(await store.idempotency.look(scope, 'hash-2'), { status: 'reused' });
    });

    it('scopes a key to tenant, principal and capability', async () => {
      const { store } = under();
      const scope = keyOf(freshTenant());
      taken(await store.take(keyRequest(scope)));
      for (const elsewhere of [
        { ...scope, tenant: freshTenant() },
        { ...scope, principal: 'user:dave' },
        { ...scope, capability: 'note.add' },
      ]) {
        taken(await store.take(keyRequest(elsewhere)));
      }
    });

    it('answers unknown after a crash until an operator resolves it', async () => {
      const { store, clock } = under();
      const scope = keyOf(freshTenant());
      taken(await store.take(keyRequest(scope, 'hash-1', 1_000)));
      assert.equal(await store.idempotency.resolve(scope, 'failed'), false);
      clock.advance(1_001);
      assert.equal(answer(await store.take(keyRequest(scope))), 'refused:OUTCOME_UNKNOWN');
      assert.deepEqual(await store.idempotency.look(scope, 'hash-1'), { status: 'unknown' });
      assert.equal(await store.idempotency.resolve(scope, 'failed'), true);
      const found = await store.idempotency.look(scope, 'hash-1');
      assert.ok(found.status === 'done' && found.outcome.status === 'failed');
    });

    it('is free again after a release', async () => {
      const { store } = under();
      const scope = keyOf(freshTenant());
      const { claim } = taken(await store.take(keyRequest(scope)));
      assert.equal(await store.release(claim, event(scope.tenant, 'failed')), true);
      taken(await store.take(keyRequest(scope)));
    });

    it('waits on its approval, runs with it and replays its outcome', async () => {
      const { store } = under();
      const tenant = freshTenant();
      const scope = keyOf(tenant);
      const record = await approved(store, tenant, { idempotency: scope });
      const look = () => store.idempotency.look(scope, record.inputHash);
      assert.deepEqual(await look(), { status: 'suspended', approvalId: record.id });
      assert.equal(answer(await store.take(keyRequest(scope, record.inputHash))), 'suspended');
      const first = taken(await store.take(takeRequest(record)));
      assert.deepEqual(await look(), { status: 'in-progress' });
      await store.release(first.claim, event(tenant, 'failed'));
      assert.deepEqual(await look(), { status: 'suspended', approvalId: record.id });
      const { claim } = taken(await store.take(takeRequest(record)));
      const outcome = storedSuccess(undefined, 'done', []);
      await store.complete(claim, outcome, event(tenant, 'completed'));
      assert.deepEqual(await look(), { status: 'done', outcome });
    });

    it('finds the request that a key waits on, whatever else changed since', async () => {
      const { store } = under();
      const tenant = freshTenant();
      const idempotency = keyOf(tenant);
      const first = await store.approvals.create(requestData(tenant, { idempotency }), uuid(), suspended);
      const later = requestData(tenant, { idempotency, policyVersion: '2' });
      const second = await store.approvals.create(later, uuid(), suspended);
      assert.ok(first.status === 'open' && second.status === 'open');
      assert.deepEqual([second.created, second.record.id], [false, first.record.id]);
      const other = { ...requestData(tenant, { idempotency }), inputHash: 'other' };
      assert.deepEqual(await store.approvals.create(other, uuid(), suspended), { status: 'key-taken' });
    });

    it('refuses to suspend a key that another call holds, and stores no request', async () => {
      const { store } = under();
      const tenant = freshTenant();
      const scope = keyOf(tenant);
      taken(await store.take(keyRequest(scope)));
      const data = requestData(tenant, { idempotency: scope, id: uuid() });
      assert.deepEqual(await store.approvals.create(data, data.id, suspended), { status: 'key-taken' });
      assert.equal(await store.approvals.get(tenant, data.id), undefined);
      assert.deepEqual(await eventTypes(store, tenant), ['started']);
    });

    it('sweeps old finished keys, abandoned claims and closed windows, and keeps the rest', async () => {
      const { store, clock } = under();
      const tenant = freshTenant();
      const [done, running, refused] = [keyOf(tenant), keyOf(tenant), keyOf(tenant)];
      const finished = taken(await store.take(keyRequest(done)));
      await store.complete(finished.claim, storedSuccess(undefined, 1, []), event(tenant, 'completed'));
      const asked = await store.approvals.create(
        requestData(tenant, { idempotency: refused }),
        uuid(),
        suspended,
      );
      assert.ok(asked.status === 'open');
      await decide(store, asked.record, 'bob', 'reject');
      clock.advance(25 * 60 * MINUTE);
      taken(await store.take(keyRequest(running)));
      await store.sweep();
      assert.deepEqual(await store.idempotency.look(done, 'hash-1'), { status: 'absent' });
      assert.deepEqual(await store.idempotency.look(refused, asked.record.inputHash), { status: 'absent' });
      assert.deepEqual(await store.idempotency.look(running, 'hash-1'), { status: 'in-progress' });
    });
  });
}
