import type { AuditEvent } from '../audit/audit-event.js';
import type { SurfaceId } from '../contract/surface.js';
import { CapabilityError } from '../errors/capability-error.js';
import { normalizeError } from '../errors/normalize-error.js';
import { isUuid } from '../kernel/ids.js';
import { principalRef, type Principal } from '../kernel/principal.js';
import { TimeLimitError, withTimeLimit } from '../kernel/time-limit.js';
import {
  decidedEvent,
  forgedEvent,
  refusedEvent,
  resolvedEvent,
  viewedEvent,
  withdrawnEvent,
  type Actor,
} from './approval-events.js';
import { notifyAll } from './approval-notices.js';
import type { ApprovalPorts } from './approval-ports.js';
import type { ApprovalRecord } from './approval-record.js';
import { refusalDetails, refuseCancel, refuseDecision } from './approval-refusal.js';
import type { MoveResult } from './approval-store.js';
import { APPROVAL_PERMISSIONS, isRequester, type ApproverRules } from './approver-rules.js';
import type { InlineConfirmer } from './inline-confirmer.js';

/** A decision as a route received it. */
export interface DecisionRequest {
  readonly decision: 'approve' | 'reject';
  /** Shown to the requester. */
  readonly reason?: string;
  /** What the decider offers to the `StepUpVerifier`. */
  readonly proof?: unknown;
  /** Where the decision was made. Default `'direct'`. */
  readonly surface?: SurfaceId;
}

/** The humans' side of approvals. Every method refuses by throwing `CapabilityError`, and records what happened. */
export class ApprovalService {
  constructor(
    private readonly ports: ApprovalPorts,
    private readonly rules: ApproverRules,
  ) {}

  /**
   * Counts one decision. Throws, in this order: NOT_FOUND; ALREADY_DECIDED, EXPIRED or WITHDRAWN; SELF_APPROVAL;
   * SAME_CREDENTIAL; FORBIDDEN; UNAUTHENTICATED (a stronger or fresher authentication is needed).
   */
  decide(principal: Principal, id: string, request: DecisionRequest): Promise<ApprovalRecord> {
    return this.audited(principal, id, request.surface, async (record, actor) => {
      if (record.state !== 'pending') throw refuseDecision(record);
      await this.rules.assertMayDecide(principal, record);
      if (request.decision === 'approve') await this.assertStrength(principal, record, request.proof);
      return this.vote(principal, record, request, actor);
    });
  }

  /**
   * Asks the human behind the call on the spot, at most until `decideBy`. Only for gates by the principal;
   * anything else, no answer and an abort leave the record as it is, and so does an answer that does not count:
   * from somebody who may not decide, or an approval without the strength that the record asks for.
   */
  async confirmInline(
    principal: Principal,
    record: ApprovalRecord,
    confirmer: InlineConfirmer,
    signal: AbortSignal,
  ): Promise<ApprovalRecord> {
    if (record.state !== 'pending' || record.by !== 'principal') return record;
    if (!isRequester(principal, record.requester)) throw new CapabilityError('FORBIDDEN');
    try {
      const answer = await withTimeLimit(
        confirmer.confirm(record, signal),
        Math.min(record.decideWithin, 2 ** 31 - 1),
      );
      if (answer === undefined || signal.aborted) return record;
      if (!(await this.counts(principal, record, answer.decision))) return record;
      const actor = {
        principal: principalRef(principal),
        surface: record.surface,
        at: this.ports.clock.now(),
      };
      return await this.vote(principal, record, answer, actor);
    } catch (error) {
      if (error instanceof TimeLimitError) return record;
      throw error;
    }
  }

  /** The requester's human takes the request back. Throws NOT_FOUND, FORBIDDEN or what its state gives. */
  cancel(principal: Principal, id: string, reason?: string, surface?: SurfaceId): Promise<ApprovalRecord> {
    return this.audited(principal, id, surface, async (record, actor) => {
      if (!isRequester(principal, record.requester)) throw new CapabilityError('FORBIDDEN');
      const { store } = this.ports;
      const event = (after: ApprovalRecord): AuditEvent => withdrawnEvent(after, actor);
      const moved = this.moved(await store.cancel(record.tenant, id, reason ?? null, event), refuseCancel);
      notifyAll(this.ports, 'cancelled', moved);
      return moved;
    });
  }

  /** An operator (`approvals:operate`) states what an unknown outcome came to. */
  resolve(
    principal: Principal,
    id: string,
    outcome: 'succeeded' | 'failed',
    reason?: string,
    surface?: SurfaceId,
  ): Promise<ApprovalRecord> {
    return this.audited(principal, id, surface, async (record, actor) => {
      const operator =
        principal.kind === 'user' && (await this.rules.holds(principal, APPROVAL_PERMISSIONS.operate));
      if (!operator) throw new CapabilityError('FORBIDDEN');
      const event = (after: ApprovalRecord): AuditEvent => resolvedEvent(after, actor, outcome);
      return this.moved(await this.ports.store.resolve(record.tenant, id, outcome, reason ?? null, event));
    });
  }

  /** One approval that this principal may see; recorded as viewed. Throws NOT_FOUND. */
  async get(principal: Principal, id: string, surface?: SurfaceId): Promise<ApprovalRecord> {
    const record = await this.visible(principal, id);
    this.ports.recorder.record(viewedEvent(record, this.actor(principal, surface)));
    return record;
  }

  /** Records a claimed decision that no record supports. It decides nothing. */
  reportForged(
    principal: Principal,
    claim: { readonly capability: string; readonly reason: string; readonly approvalId?: string },
    surface?: SurfaceId,
  ): void {
    this.ports.recorder.record(forgedEvent(this.actor(principal, surface), claim));
  }

  private async vote(
    principal: Principal,
    record: ApprovalRecord,
    answer: { readonly decision: 'approve' | 'reject'; readonly reason?: string },
    actor: Actor,
  ): Promise<ApprovalRecord> {
    const { decision } = answer;
    const reason = answer.reason ?? null;
    const vote = { decision, reason, human: principal.human ?? principal.id, principal: actor.principal };
    const event = (after: ApprovalRecord): AuditEvent => decidedEvent(after, actor, decision, reason);
    const moved = this.moved(await this.ports.store.vote(record.tenant, record.id, vote, event));
    const type = moved.state === 'approved' || moved.state === 'denied' ? moved.state : 'voted';
    notifyAll(this.ports, type, moved);
    return moved;
  }

  /** The moved record, recorded; or the refusal, which tells a loser who decided and when. */
  private moved(result: MoveResult, refuse = refuseDecision): ApprovalRecord {
    if (result.status === 'not-found') throw new CapabilityError('NOT_FOUND');
    if (result.status === 'refused') throw refuse(result.record);
    if (result.status === 'duplicate')
      throw new CapabilityError('ALREADY_DECIDED', refusalDetails(result.record));
    this.ports.recorder.record(result.event);
    return result.record;
  }

  /** Whether an answer given on the spot may decide. It comes without a proof of its own. */
  private async counts(
    principal: Principal,
    record: ApprovalRecord,
    decision: 'approve' | 'reject',
  ): Promise<boolean> {
    if (!(await this.rules.mayDecide(principal, record))) return false;
    return decision === 'reject' || this.meetsStrength(principal, record, undefined);
  }

  private async meetsStrength(
    principal: Principal,
    record: ApprovalRecord,
    proof: unknown,
  ): Promise<boolean> {
    const { strength } = record;
    if (strength === 'none') return true;
    return (await this.ports.stepUp?.verify({ strength, principal, approval: record, proof })) === true;
  }

  private async assertStrength(principal: Principal, record: ApprovalRecord, proof: unknown): Promise<void> {
    if (await this.meetsStrength(principal, record, proof)) return;
    const { strength } = record;
    const hint = strength === 'session' ? 'Sign in again, then decide.' : 'Confirm with your security key.';
    throw new CapabilityError('UNAUTHENTICATED', { approvalId: record.id, hint });
  }

  private async visible(principal: Principal, id: string): Promise<ApprovalRecord> {
    const record = isUuid(id) ? await this.ports.store.get(principal.tenant, id) : undefined;
    if (record === undefined || !(await this.rules.maySee(principal, record)))
      throw new CapabilityError('NOT_FOUND');
    return record;
  }

  /** Runs one action on a visible record; a refusal is recorded with its true reason. */
  private async audited(
    principal: Principal,
    id: string,
    surface: SurfaceId | undefined,
    act: (record: ApprovalRecord, actor: Actor) => Promise<ApprovalRecord>,
  ): Promise<ApprovalRecord> {
    const actor = this.actor(principal, surface);
    let record: ApprovalRecord | undefined;
    try {
      record = await this.visible(principal, id);
      return await act(record, actor);
    } catch (error) {
      const refusal = normalizeError(error);
      const approvalId = isUuid(id) ? id : undefined;
      this.ports.recorder.record(refusedEvent(record, { ...actor, approvalId }, refusal.reason));
      throw refusal;
    }
  }

  private actor(principal: Principal, surface: SurfaceId | undefined): Actor {
    return { principal: principalRef(principal), surface: surface ?? 'direct', at: this.ports.clock.now() };
  }
}
