import { z } from 'zod';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { strict as assert } from 'node:assert';
import { decidedEvent, suspendedEvent } from '../approvals/approval-events.js';
import { inputHash } from '../approvals/approval-input.js';
import type { ApprovalRecord, ApprovalRequestData, KeyScope } from '../approvals/approval-record.js';
import type { MoveEvent, MoveResult } from '../approvals/approval-store.js';
import type { AuditEvent } from '../audit/audit-event.js';
import { type ChainReport, verifyChain } from '../audit/chain-verification.js';
import type { CapabilityStore, TakeRequest, TakeResult } from '../execution/capability-store.js';
import { executionId, uuid } from '../kernel/ids.js';
import type { PrincipalRef } from '../kernel/principal.js';
import { encodeStorable } from '../kernel/storable-value.js';
import type { ShiftedClock } from './shifted-clock.js';

/** The stores under test: two doors to the same data, such as two connections. */
export interface StoreUnderTest {
  readonly store: CapabilityStore;
  /** Another instance on the same data; the same object where a store lives in one process. */
  readonly other: CapabilityStore;
  /** The clock that both use. */
  readonly clock: ShiftedClock;
  close(): Promise<void>;
}

export const MINUTE = 60_000;

/** A fresh tenant, so that tests on one database do not see each other. */
export const freshTenant = (): string => `tenant-${executionId()}`;

export const person = (tenant: string, id: string): PrincipalRef => ({
  tenant,
  kind: 'user',
  id,
  human: id,
  credentialId: `session-${id}`,
});

/** A request as the approval service stores it. */
export function requestData(tenant: string, change: Partial<ApprovalRequestData> = {}): ApprovalRequestData {
  const input = { orderId: 'o1', amount: 500n, at: new Date(0) };
  const id = executionId();
  return {
    id: uuid(),
    tenant,
    requester: person(tenant, 'alice'),
    surface: 'rest',
    capability: 'refund.issue',
    fingerprint: 'contract-1',
    policyVersion: '1',
    input: encodeStorable(input),
    inputHash: inputHash('refund.issue', input, []),
    action: {
      verb: 'Refund',
      target: { product: 'shop', kind: 'order', id: 'o1' },
      arguments: { amount: '500', note: 'nul \u0000 and \u2028' },
      reversible: false,
    },
    reasons: ['large'],
    by: 'another',
    quorum: 1,
    approvers: null,
    strength: 'none',
    permission: null,
    type: null,
    decideWithin: 15 * MINUTE,
    executeWithin: 5 * MINUTE,
    executionId: id,
    correlationId: id,
    idempotency: null,
    ...change,
  };
}

const stamp = (record: ApprovalRecord, human: string) => ({
  principal: person(record.tenant, human),
  surface: 'rest' as const,
  at: Date.now(),
});

export const suspended: MoveEvent = (record) =>
  suspendedEvent(record, stamp(record, 'alice'), {
    executionId: record.executionId,
    correlationId: record.correlationId,
    stances: [],
    inputHash: 'keyed',
  });

/** Stores a request of its own, not coalesced with any other. */
export async function ask(
  store: CapabilityStore,
  tenant: string,
  change: Partial<ApprovalRequestData> = {},
): Promise<ApprovalRecord> {
  const result = await store.approvals.create(requestData(tenant, change), executionId(), suspended);
  assert.ok(result.status === 'open');
  return result.record;
}

export function decide(
  store: CapabilityStore,
  record: ApprovalRecord,
  human: string,
  decision: 'approve' | 'reject' = 'approve',
  reason: string | null = null,
): Promise<MoveResult> {
  const principal = person(record.tenant, human);
  return store.approvals.vote(record.tenant, record.id, { decision, human, principal, reason }, (after) =>
    decidedEvent(after, stamp(after, human), decision, reason),
  );
}

/** A record that bob approved. */
export async function approved(
  store: CapabilityStore,
  tenant: string,
  change: Partial<ApprovalRequestData> = {},
): Promise<ApprovalRecord> {
  const record = await ask(store, tenant, change);
  const result = await decide(store, record, 'bob');
  assert.ok(result.status === 'moved');
  return result.record;
}

export function event(
  tenant: string,
  type: 'started' | 'completed' | 'failed' | 'requested',
  change = {},
): AuditEvent {
  const id = executionId();
  const bodies = {
    requested: {},
    started: { stances: [], effect: true },
    completed: { durationMs: 1, replayed: false },
    failed: { reason: 'UNAVAILABLE', errorType: 'UNAVAILABLE', durationMs: 1, stage: 'take' },
  };
  return {
    type,
    at: Date.now(),
    executionId: id,
    correlationId: id,
    tenant,
    principal: person(tenant, 'alice'),
    surface: 'rest',
    capability: 'refund.issue',
    ...bodies[type],
    ...change,
  } as AuditEvent;
}

export function takeRequest(record: ApprovalRecord, change: Partial<TakeRequest> = {}): TakeRequest {
  const { tenant, id } = record;
  const execution = executionId();
  return {
    executionId: execution,
    leaseMs: MINUTE,
    approval: { tenant, id, fingerprint: 'contract-1', policyVersion: '1' },
    started: event(tenant, 'started', { executionId: execution, approvalId: id }),
    ...change,
  };
}

export function keyRequest(scope: KeyScope, hash = 'hash-1', leaseMs = MINUTE): TakeRequest {
  const execution = executionId();
  const started = event(scope.tenant, 'started', { executionId: execution });
  return { executionId: execution, leaseMs, idempotency: { scope, inputHash: hash }, started };
}

export const keyOf = (tenant: string, key = executionId(), principal = 'user:alice'): KeyScope => ({
  tenant,
  principal,
  capability: 'refund.issue',
  key,
});

/** The claim of a take that must have succeeded. */
export function taken(result: TakeResult): Extract<TakeResult, { status: 'taken' }> {
  assert.ok(result.status === 'taken', JSON.stringify(result));
  return result;
}

/** `status`, or `status:reason` of a refusal. */
export function answer(result: TakeResult): string {
  return result.status === 'refused' ? `refused:${result.reason}` : result.status;
}

/** How often each answer was given. */
export function tally(answers: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of answers) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

/** The stored events of a tenant, by type. */
export async function eventTypes(store: CapabilityStore, tenant: string): Promise<string[]> {
  const { entries } = await store.audit.page({ tenant, limit: 1000 });
  return entries.map((entry) => entry.event.type);
}

/** Checks a tenant's chain without keys or anchors. */
export function verify(store: CapabilityStore, tenant: string): Promise<ChainReport> {
  return verifyChain(store.audit, tenant, undefined, undefined);
}

/** An output schema that takes any value, so that outcomes keep their types. */
export const ANY_OUTPUT = new SchemaCompiler().compileOutput(z.unknown());
