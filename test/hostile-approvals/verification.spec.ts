import { generateKeyPairSync } from 'node:crypto';
import pg from 'pg';
import { AuditTrail, type Checkpoint, CheckpointAnchor, CheckpointSigner } from 'nest-capabilities';
import { fromPgPool, SqlCapabilityStore } from 'nest-capabilities/sql';
import { ShiftedClock, storeFixtures } from 'nest-capabilities/testing';
import { TestSchema } from '../stores/postgres.js';

const { event, freshTenant, person } = storeFixtures;

class Anchor extends CheckpointAnchor {
  readonly kept: Checkpoint[] = [];
  async publish(checkpoint: Checkpoint): Promise<void> {
    this.kept.push(checkpoint);
  }
  async latest(tenant: string): Promise<Checkpoint | undefined> {
    return this.kept.findLast((each) => each.tenant === tenant);
  }
}

let schema: TestSchema;
let pool: pg.Pool;
let store: SqlCapabilityStore;
let anchor: Anchor;
let trail: AuditTrail;

beforeAll(async () => {
  schema = await TestSchema.create();
  pool = schema.pool();
  store = new SqlCapabilityStore(fromPgPool(pool));
  await store.open();
  anchor = new Anchor();
  const signer = new CheckpointSigner('k1', generateKeyPairSync('ed25519').privateKey);
  trail = new AuditTrail(store.audit, { clock: new ShiftedClock(), signer, anchor });
});
afterAll(() => schema.drop());

const actor = (tenant: string) => ({ principal: person(tenant, 'keeper'), surface: 'direct' as const });

async function filled(rows: number): Promise<string> {
  const tenant = freshTenant();
  for (let index = 0; index < rows; index++)
    await store.audit.append(event(tenant, 'requested', { at: 1_000 + index }));
  return tenant;
}

describe('verification after pruning', () => {
  it('stays green for a chain that was pruned, and goes on', async () => {
    const tenant = await filled(8);
    await trail.checkpoint(tenant);
    expect(await trail.prune(actor(tenant), 1_004)).toBe(3);
    await store.audit.append(event(tenant, 'requested'));
    expect(await trail.verify(tenant)).toMatchObject({ ok: true });
    expect(await trail.checkpoint(tenant)).toMatchObject({ tenant });
    expect(await trail.prune(actor(tenant), 1_006)).toBeGreaterThan(0);
    expect(await trail.verify(tenant)).toMatchObject({ ok: true });
  });

  it('names the loss of every row that was left', async () => {
    const tenant = await filled(8);
    await trail.checkpoint(tenant);
    for (let index = 0; index < 4; index++) await store.audit.append(event(tenant, 'requested'));
    await trail.prune(actor(tenant), 9_999_999_999_999);
    expect(await trail.verify(tenant)).toMatchObject({ ok: true });
    await pool.query('delete from capability_audit where tenant = $1', [tenant]);
    expect(await trail.verify(tenant)).toMatchObject({ ok: false });
  });

  it('does not take an ordinary checkpoint for a pruning', async () => {
    const tenant = await filled(8);
    const checkpoint = await trail.checkpoint(tenant);
    await store.audit.append(event(tenant, 'requested'));
    await pool.query('delete from capability_audit where tenant = $1 and seq < $2', [
      tenant,
      checkpoint!.seq,
    ]);
    await pool.query('insert into capability_audit_bases values ($1, $2)', [
      tenant,
      JSON.stringify(checkpoint),
    ]);
    const report = await trail.verify(tenant);
    expect(report).toMatchObject({ ok: false });
  });

  it('names a tail that was cut after an anchor', async () => {
    const tenant = await filled(8);
    await trail.checkpoint(tenant);
    await pool.query('delete from capability_audit where tenant = $1 and seq > 5', [tenant]);
    expect(await trail.verify(tenant)).toMatchObject({ ok: false });
    for (let index = 0; index < 5; index++) await store.audit.append(event(tenant, 'requested'));
    expect(await trail.verify(tenant)).toMatchObject({ ok: false, seq: 8 });
  });

  it('keeps an erased subject green, and no trace of it in any row', async () => {
    const tenant = await filled(3);
    await trail.erase(actor(tenant), 'alice');
    expect(await trail.verify(tenant)).toMatchObject({ ok: true, erased: 3 });
  });
});
