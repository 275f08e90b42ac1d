import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { AuditTrail } from '../audit/audit-trail.js';
import { type Checkpoint, CheckpointAnchor, CheckpointSigner } from '../audit/checkpoint.js';
import { StoredAudit } from '../audit/stored-audit.js';
import {
  approved,
  event,
  eventTypes,
  freshTenant,
  person,
  type StoreUnderTest,
  takeRequest,
} from './store-fixtures.js';
import { testGlobals } from './test-globals.js';

class MemoryAnchor extends CheckpointAnchor {
  readonly published: Checkpoint[] = [];
  async publish(checkpoint: Checkpoint): Promise<void> {
    this.published.push(checkpoint);
  }
  async latest(tenant: string): Promise<Checkpoint | undefined> {
    return this.published.findLast((checkpoint) => checkpoint.tenant === tenant);
  }
}

/** The chained audit. */
export function auditStoreContract(under: () => StoreUnderTest): void {
  const { describe, it } = testGlobals();
  const trail = (anchor = new MemoryAnchor()) => {
    const { store, clock } = under();
    const signer = new CheckpointSigner('key-1', generateKeyPairSync('ed25519').privateKey);
    return { audit: new AuditTrail(store.audit, { clock, signer, anchor }), anchor };
  };
  const auditor = (tenant: string) => ({ principal: person(tenant, 'auditor'), surface: 'rest' as const });

  describe('audit', () => {
    it('takes 50 concurrent writers in two instances without a fork or a lost row', async () => {
      const { store, other } = under();
      const tenant = freshTenant();
      const events = Array.from({ length: 50 }, () => event(tenant, 'requested'));
      await Promise.all(events.map((each, index) => (index % 2 ? store : other).audit.append(each)));
      const report = await trail().audit.verify(tenant);
      assert.deepEqual([report.ok, report.rows, report.head?.seq], [true, 50, 50]);
      const { entries } = await store.audit.page({ tenant, limit: 1000 });
      assert.deepEqual(
        new Set(entries.map((entry) => entry.event.executionId)),
        new Set(events.map((each) => each.executionId)),
      );
    });

    it('gives back each event as it was, however hostile its text', async () => {
      const { store, other } = under();
      const tenant = freshTenant();
      const hostile = 'x\n{"type":"approved"} \u0000 \ud800 \u2028 \\ " \' é 😀';
      const written = event(tenant, 'requested', { capability: hostile, approvalId: 'a1' });
      await store.audit.append(written);
      const { entries } = await other.audit.page({ tenant, limit: 10 });
      assert.deepEqual(
        entries.map((entry) => entry.event),
        [written],
      );
      assert.equal((await trail().audit.verify(tenant)).ok, true);
    });

    it('stores an event once, though the sink sees it too', async () => {
      const { store } = under();
      const record = await approved(store, freshTenant());
      const request = takeRequest(record);
      await store.take(request);
      await new StoredAudit(store.audit).write(request.started);
      await new StoredAudit(store.audit).write(event(record.tenant, 'completed'));
      assert.deepEqual(await eventTypes(store, record.tenant), [
        'suspended',
        'decided',
        'started',
        'completed',
      ]);
    });

    it('pages and filters', async () => {
      const { store } = under();
      const record = await approved(store, freshTenant());
      const { tenant } = record;
      await store.take(takeRequest(record));
      const page = async (request: object) => {
        const { entries, next } = await store.audit.page({ tenant, limit: 10, ...request });
        return [entries.map((entry) => entry.seq), next];
      };
      assert.deepEqual(await page({ limit: 2 }), [[1, 2], 2]);
      assert.deepEqual(await page({ limit: 2, after: 2 }), [[3], undefined]);
      assert.deepEqual(await page({ limit: 2, order: 'newest' }), [[3, 2], 2]);
      assert.deepEqual(await page({ limit: 2, order: 'newest', after: 2 }), [[1], undefined]);
      assert.deepEqual(await page({ types: ['decided'] }), [[2], undefined]);
      assert.deepEqual(await page({ subject: 'bob' }), [[2], undefined]);
      assert.deepEqual(await page({ approvalId: record.id, from: 0, to: Date.now() + 1e9 }), [
        [1, 2, 3],
        undefined,
      ]);
      assert.deepEqual(await page({ from: Date.now() + 1e9 }), [[], undefined]);
      assert.ok((await store.audit.tenants()).includes(tenant));
    });

    it('erases a subject and still verifies', async () => {
      const { store } = under();
      const record = await approved(store, freshTenant());
      const { tenant } = record;
      const { audit } = trail();
      assert.equal(await audit.erase(auditor(tenant), 'bob'), 1);
      const report = await audit.verify(tenant);
      assert.deepEqual([report.ok, report.erased, report.rows], [true, 1, 3]);
      const { entries } = await store.audit.page({ tenant, limit: 10 });
      assert.equal(entries[1]!.erased, true);
      assert.equal(JSON.stringify(await store.audit.rows(tenant, 0, 10)).includes('bob'), false);
      assert.equal(await audit.erase(auditor(tenant), 'bob'), 0);
    });

    it('prunes up to a signed checkpoint and still verifies, with the right key only', async () => {
      const { store } = under();
      const tenant = freshTenant();
      for (let index = 0; index < 6; index++)
        await store.audit.append(event(tenant, 'requested', { at: 1_000 + index }));
      const { audit } = trail();
      assert.equal(await audit.prune(auditor(tenant), 1_004), 3);
      const report = await audit.verify(tenant);
      assert.deepEqual([report.ok, report.rows, report.head?.seq], [true, 4, 7]);
      assert.equal((await trail().audit.verify(tenant)).seq, 4);
      await store.audit.append(event(tenant, 'requested'));
      assert.equal((await audit.verify(tenant)).ok, true);
    });

    it('checkpoints chain, and one beyond the end shows a cut tail', async () => {
      const { store } = under();
      const tenant = freshTenant();
      const { audit, anchor } = trail();
      assert.equal(await audit.checkpoint(tenant), undefined);
      await store.audit.append(event(tenant, 'requested'));
      const first = (await audit.checkpoint(tenant))!;
      await store.audit.append(event(tenant, 'requested'));
      const second = (await audit.checkpoint(tenant))!;
      assert.equal(second.previous, first.signature);
      assert.equal((await audit.verify(tenant)).ok, true);
      anchor.published.push({ ...second, seq: 9 });
      const cut = await audit.verify(tenant);
      assert.deepEqual([cut.ok, cut.seq], [false, 9]);
    });

    it('records reads and exports', async () => {
      const tenant = freshTenant();
      const { store } = under();
      const { audit } = trail();
      await audit.page(auditor(tenant), { limit: 1 });
      const exported: number[] = [];
      for await (const entry of audit.export(auditor(tenant))) exported.push(entry.seq);
      assert.deepEqual(exported, [1, 2]);
      assert.deepEqual(await eventTypes(store, tenant), ['viewed', 'exported']);
    });
  });
}
