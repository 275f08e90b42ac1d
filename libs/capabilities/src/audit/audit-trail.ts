import { CapabilityError } from '../errors/capability-error.js';
import type { Clock } from '../kernel/clock.js';
import { executionId } from '../kernel/ids.js';
import type { PrincipalRef } from '../kernel/principal.js';
import type { SurfaceId } from '../contract/surface.js';
import type { AuditEvent } from './audit-event.js';
import type { AuditEntry, AuditFilter, AuditPage, AuditPageRequest } from './audit-query.js';
import { verifyChain, type ChainReport } from './chain-verification.js';
import type { Checkpoint, CheckpointAnchor, CheckpointSigner, CheckpointVerifier } from './checkpoint.js';
import type { AuditStore } from './stored-audit.js';

/** Who reads or tends the audit, and where. */
export interface AuditActor {
  readonly principal: PrincipalRef;
  readonly surface: SurfaceId;
}

export interface AuditTrailOptions {
  readonly clock: Clock;
  /** Signs checkpoints; without it there are none, and nothing can be pruned. */
  readonly signer?: CheckpointSigner;
  /** Checks checkpoints. Default: the signer's own. */
  readonly verifier?: CheckpointVerifier;
  /** Where checkpoints go, outside the audit table. */
  readonly anchor?: CheckpointAnchor;
}

const BATCH = 500;

/** Reading, verifying and tending the stored audit. Reads and exports are audited; permissions are the caller's to check. */
export class AuditTrail {
  private readonly verifier: CheckpointVerifier | undefined;

  constructor(
    private readonly store: AuditStore,
    private readonly options: AuditTrailOptions,
  ) {
    this.verifier = options.verifier ?? options.signer?.verifier;
  }

  /** One page of the actor's tenant. */
  async page(actor: AuditActor, request: Omit<AuditPageRequest, 'tenant'>): Promise<AuditPage> {
    const limit = Math.min(Math.max(Math.trunc(request.limit), 1), 1000);
    const page = await this.store.page({ ...request, limit, tenant: actor.principal.tenant });
    await this.store.append({ type: 'viewed', ...this.head(actor), what: 'audit' });
    return page;
  }

  /** Every matching event of the actor's tenant, oldest first. */
  async *export(actor: AuditActor, filter: Omit<AuditFilter, 'tenant'> = {}): AsyncGenerator<AuditEntry> {
    await this.store.append({ type: 'exported', ...this.head(actor), what: 'audit' });
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page: AuditPage = await this.store.page({
        ...filter,
        tenant: actor.principal.tenant,
        limit: BATCH,
        after,
      });
      yield* page.entries;
      after = page.next;
    }
  }

  /** Checks a tenant's whole chain, and that it still contains the anchored checkpoint. */
  async verify(tenant: string): Promise<ChainReport> {
    const anchored = await this.options.anchor?.latest(tenant);
    return verifyChain(this.store, tenant, this.verifier, anchored);
  }

  /** Signs where the chain stands, after verifying it, and publishes that. Undefined for an empty chain. */
  async checkpoint(tenant: string): Promise<Checkpoint | undefined> {
    const { signer, anchor, clock } = this.options;
    if (signer === undefined) throw new TypeError('AuditTrail needs a signer to make checkpoints.');
    const previous = await anchor?.latest(tenant);
    const report = await verifyChain(this.store, tenant, this.verifier, previous);
    if (!report.ok)
      throw new CapabilityError('UNAVAILABLE', { cause: new Error(`Audit chain: ${report.problem}`) });
    if (report.head === undefined) return undefined;
    if (previous?.seq === report.head.seq) return previous;
    const { seq, hash } = report.head;
    const checkpoint = signer.sign({
      tenant,
      seq,
      hash,
      at: clock.now(),
      previous: previous?.signature ?? null,
    });
    await anchor?.publish(checkpoint);
    return checkpoint;
  }

  /**
   * Removes what is older than `before` (milliseconds since the epoch), up to and without the row of a fresh
   * signed checkpoint, at which the chain then starts. Returns the number of removed rows.
   */
  async prune(actor: AuditActor, before: number): Promise<number> {
    const { tenant } = actor.principal;
    const { signer, anchor, clock } = this.options;
    if (signer === undefined) throw new TypeError('AuditTrail needs a signer to prune.');
    const report = await this.verify(tenant);
    if (!report.ok)
      throw new CapabilityError('UNAVAILABLE', { cause: new Error(`Audit chain: ${report.problem}`) });
    const kept = await this.store.page({ tenant, from: before, limit: 1 });
    const through = (kept.entries[0]?.seq ?? report.head?.seq ?? 0) - 1;
    const [last] = through < 1 ? [] : await this.store.rows(tenant, through, 1);
    if (last === undefined) return 0;
    await this.store.append({ type: 'pruned', ...this.head(actor), through: through - 1 });
    const previous = (await anchor?.latest(tenant))?.signature ?? null;
    return this.store.prune(
      signer.sign({ tenant, seq: through, hash: last.hash, at: clock.now(), previous }),
    );
  }

  /** Blanks what identifies a principal id or human in the actor's tenant; the chain still verifies. Returns the rows. */
  async erase(actor: AuditActor, subject: string): Promise<number> {
    let total = 0;
    for (;;) {
      const erased = await this.store.erase(actor.principal.tenant, subject, BATCH, (rows) => ({
        type: 'erased',
        ...this.head(actor),
        rows,
      }));
      total += erased;
      if (erased < BATCH) return total;
    }
  }

  private head({ principal, surface }: AuditActor): Omit<Extract<AuditEvent, { type: 'requested' }>, 'type'> {
    const id = executionId();
    const { tenant } = principal;
    return {
      at: this.options.clock.now(),
      executionId: id,
      correlationId: id,
      tenant,
      principal,
      surface,
      capability: '*',
    };
  }
}
