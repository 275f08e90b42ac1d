import type { AuditEvent } from '../audit/audit-event.js';
import type { PolicyStance } from '../contract/policy-stance.js';
import type { PendingAction } from '../contract/object-ref.js';
import type { SurfaceId } from '../contract/surface.js';
import { CapabilityError } from '../errors/capability-error.js';
import { sha256, hmacSha256 } from '../kernel/hash.js';
import { isUuid, uuid } from '../kernel/ids.js';
import { completePrincipal, principalRef, type Principal } from '../kernel/principal.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import type { StorableClass } from '../kernel/storable-class.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { suspendedEvent, voidedEvent, type Asking } from './approval-events.js';
import { storeInput } from './approval-input.js';
import { notifyAll } from './approval-notices.js';
import type { ApprovalPorts } from './approval-ports.js';
import type { ApprovalRecord, ApprovalRequestData, KeyScope } from './approval-record.js';
import { executionRefusal, isUnchanged, refuseExecution } from './approval-refusal.js';
import type { ApprovalTerms } from './approval-terms.js';
import { isRequester, isSelfApproval, type ApproverRules } from './approver-rules.js';

/** What the pipeline knows about a call that needs approval. */
export interface ApprovalAsk {
  readonly principal: Principal;
  readonly surface: SurfaceId;
  readonly capability: string;
  readonly fingerprint: string;
  /** The parsed input exactly as it will run. */
  readonly input: unknown;
  /** Classes the input may hold instances of. */
  readonly classes: readonly StorableClass[];
  readonly action: PendingAction;
  readonly terms: ApprovalTerms;
  readonly executionId: string;
  readonly correlationId: string;
  readonly traceId?: string;
  readonly stances: readonly PolicyStance[];
  readonly idempotency?: KeyScope;
}

export interface AskResult {
  /** `pending`; or `approved` when an identical call was approved and not executed yet. */
  readonly record: ApprovalRecord;
  readonly created: boolean;
  /** The terminal event of the call that suspends; hand it to the recorder. Ignore it when the call executes instead. */
  readonly event: AuditEvent;
}

/** The pipeline's side of approvals: asking, and checking an approved record before it runs. */
export class ApprovalGate {
  constructor(
    private readonly ports: ApprovalPorts,
    private readonly rules: ApproverRules,
  ) {}

  /**
   * Stores a request, or finds the identical open one of the same requester (credential and idempotency key
   * included). Throws UNSTORABLE_INPUT, IN_PROGRESS (the key was taken meanwhile) or UNAVAILABLE.
   */
  async ask(ask: ApprovalAsk): Promise<AskResult> {
    const data = this.dataOf(ask);
    const event = (record: ApprovalRecord): AuditEvent =>
      suspendedEvent(record, this.actorOf(ask), this.askingOf(ask, record));
    const result = await this.ports.store.create(data, coalesceKey(data), event);
    if (result.status === 'key-taken') throw new CapabilityError('IN_PROGRESS', { retryAfter: 1 });
    const { record, created } = result;
    if (created) notifyAll(this.ports, 'requested', record);
    return { record, created, event: result.event ?? event(record) };
  }

  /**
   * The record that `principal` wants executed: pending (answer the same 202) or approved (go on). Throws
   * NOT_FOUND, FORBIDDEN (only the requester's human executes) or the reason that its state gives.
   */
  async open(principal: Principal, id: string): Promise<ApprovalRecord> {
    const record = isUuid(id) ? await this.ports.store.get(principal.tenant, id) : undefined;
    if (record === undefined || !(await this.rules.maySee(principal, record)))
      throw new CapabilityError('NOT_FOUND');
    if (!isRequester(principal, record.requester)) throw new CapabilityError('FORBIDDEN');
    const reason = executionRefusal(record.state);
    if (reason !== undefined) throw refuseExecution(record, reason);
    return record;
  }

  /** Stage 5 of an approved run. Throws CAPABILITY_CHANGED; the approval is not burned. */
  assertUnchanged(record: ApprovalRecord, fingerprint: string): void {
    if (isUnchanged(record, { fingerprint, policyVersion: this.policyVersion })) return;
    throw new CapabilityError('CAPABILITY_CHANGED', { approvalId: record.id });
  }

  /** The version of the rules that approvals are given under now. */
  get policyVersion(): string {
    return this.ports.policy?.version ?? '1';
  }

  /** The requester with their current rights. Throws FORBIDDEN when disabled, UNAVAILABLE when that cannot be known. */
  async reloadRequester(record: ApprovalRecord): Promise<Principal> {
    const principal = await this.reload(record.requester);
    if (principal === undefined) throw new CapabilityError('FORBIDDEN', { approvalId: record.id });
    return principal;
  }

  /**
   * Re-reads every approver before the record is taken. A disabled one voids the approval (APPROVAL_VOID);
   * one who is the same human as the re-read requester is SELF_APPROVAL, or FORBIDDEN where it had to be that human
   * and is not; too few humans are QUORUM_UNREACHABLE.
   */
  async recheckApprovers(record: ApprovalRecord, requester: Principal): Promise<void> {
    const now = { by: record.by, requester: principalRef(requester) };
    const humans = new Set<string>();
    for (const vote of record.votes) {
      const voter = await this.reload(vote.principal);
      // Names nobody: the audit keeps this text with the requester, beyond the erasure of the approver.
      if (voter === undefined) return this.voidRecord(record, 'An approver is disabled.');
      humans.add(voter.human ?? voter.id);
      if (isSelfApproval(principalRef(voter), now))
        throw new CapabilityError('SELF_APPROVAL', { approvalId: record.id });
      if (record.by === 'principal' && !isRequester(principalRef(voter), now.requester))
        throw new CapabilityError('FORBIDDEN', { approvalId: record.id });
    }
    if (humans.size < record.quorum)
      throw new CapabilityError('QUORUM_UNREACHABLE', { approvalId: record.id });
  }

  /** Keyed hash of an input, for `started` events. */
  auditHash(inputHash: string): string {
    return hmacSha256(this.ports.auditKey, 'nest-capabilities.audit.input.v1', inputHash);
  }

  private async voidRecord(record: ApprovalRecord, note: string): Promise<never> {
    const at = this.ports.clock.now();
    const result = await this.ports.store.void(record.tenant, record.id, note, (after) =>
      voidedEvent(after, at),
    );
    if (result.status !== 'moved') throw new CapabilityError('APPROVAL_VOID', { approvalId: record.id });
    this.ports.recorder.record(result.event);
    notifyAll(this.ports, 'void', result.record);
    throw refuseExecution(result.record, 'APPROVAL_VOID');
  }

  /** Undefined when disabled. What is late, ill-formed or somebody else says nothing about them. */
  private async reload(ref: ApprovalRecord['requester']): Promise<Principal | undefined> {
    const { principals, policyTimeoutMs } = this.ports;
    if (principals?.reload === undefined)
      throw new CapabilityError('UNAVAILABLE', {
        cause: new TypeError('PrincipalResolver.reload is missing.'),
      });
    try {
      const reading = principals.reload(ref);
      const input = isPromiseLike(reading) ? await withTimeLimit(reading, policyTimeoutMs) : reading;
      if (input === null) return undefined;
      const principal = completePrincipal(input);
      if (principal?.id === ref.id && principal.tenant === ref.tenant) return principal;
      throw new TypeError('PrincipalResolver.reload answered no principal, or another one.');
    } catch (cause) {
      throw new CapabilityError('UNAVAILABLE', { cause });
    }
  }

  private dataOf(ask: ApprovalAsk): ApprovalRequestData {
    const { by, quorum, approvers, strength, permission, type, decideWithin, executeWithin, reasons } =
      ask.terms;
    return {
      id: uuid(),
      tenant: ask.principal.tenant,
      requester: principalRef(ask.principal),
      surface: ask.surface,
      capability: ask.capability,
      fingerprint: ask.fingerprint,
      policyVersion: this.policyVersion,
      ...storeInput(ask.capability, ask.input, ask.classes),
      action: ask.action,
      by,
      quorum,
      approvers,
      strength,
      permission,
      type,
      decideWithin,
      executeWithin,
      reasons,
      executionId: ask.executionId,
      correlationId: ask.correlationId,
      idempotency: ask.idempotency ?? null,
    };
  }

  private actorOf(ask: ApprovalAsk) {
    return { principal: principalRef(ask.principal), surface: ask.surface, at: this.ports.clock.now() };
  }

  private askingOf(ask: ApprovalAsk, record: ApprovalRecord): Asking {
    const { executionId, correlationId, traceId, stances } = ask;
    const trace = traceId === undefined ? {} : { traceId };
    return { executionId, correlationId, ...trace, stances, inputHash: this.auditHash(record.inputHash) };
  }
}

/** Equal for identical requests: everything but the id and the execution that asked. */
function coalesceKey(data: ApprovalRequestData): string {
  const { id: _, executionId: _execution, correlationId: _correlation, input: _input, ...identity } = data;
  return sha256('nest-capabilities.approval.coalesce.v1', JSON.stringify(identity));
}
