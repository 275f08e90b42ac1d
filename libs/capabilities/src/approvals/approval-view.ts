import type { ApprovalBy, ApprovalStrength } from '../contract/capability-options.js';
import type { PendingAction } from '../contract/object-ref.js';
import type { SurfaceId } from '../contract/surface.js';
import type { PrincipalKind } from '../kernel/principal.js';
import type { ApprovalRecord, ApprovalState } from './approval-record.js';

/** An approval as people and systems may see it. Times are ISO 8601. The stored input never leaves. */
export interface ApprovalView {
  readonly approvalId: string;
  readonly capability: string;
  readonly surface: SurfaceId;
  readonly type: string | null;
  readonly state: ApprovalState;
  readonly requester: { readonly id: string; readonly kind: PrincipalKind; readonly human: string | null };
  readonly action: PendingAction;
  readonly reasons: readonly string[];
  readonly by: ApprovalBy;
  readonly strength: ApprovalStrength;
  readonly quorum: number;
  readonly approvers: readonly string[] | null;
  readonly inputHash: string;
  readonly createdAt: string;
  readonly decideBy: string;
  readonly executeBy: string | null;
  readonly votes: readonly { readonly decision: string; readonly by: string; readonly at: string }[];
  readonly decision: {
    readonly decision: string;
    readonly by: string;
    readonly at: string;
    readonly reason: string | null;
  } | null;
  readonly note: string | null;
  /** How the call ended; its output is read through the pipeline, which redacts it. */
  readonly outcome: 'succeeded' | 'failed' | 'unknown' | null;
}

const iso = (at: number): string => new Date(at).toISOString();

/** The public form of a record. */
export function approvalView(record: ApprovalRecord): ApprovalView {
  const {
    id,
    capability,
    surface,
    type,
    state,
    action,
    reasons,
    by,
    strength,
    quorum,
    approvers,
    inputHash,
    note,
  } = record;
  const { requester, decision, votes, executeBy } = record;
  return {
    approvalId: id,
    capability,
    surface,
    type,
    state,
    requester: { id: requester.id, kind: requester.kind, human: requester.human },
    action,
    reasons,
    by,
    strength,
    quorum,
    approvers,
    inputHash,
    createdAt: iso(record.createdAt),
    decideBy: iso(record.decideBy),
    executeBy: executeBy === null ? null : iso(executeBy),
    votes: votes.map((vote) => ({ decision: vote.decision, by: vote.human, at: iso(vote.at) })),
    decision: decision === null ? null : { ...decision, at: iso(decision.at) },
    note,
    outcome: state === 'succeeded' || state === 'failed' || state === 'unknown' ? state : null,
  };
}
