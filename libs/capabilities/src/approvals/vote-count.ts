import type { ApprovalDecision, ApprovalRecord, ApprovalVote } from './approval-record.js';

/** Where one more vote leaves a pending record. */
export interface VoteCount {
  readonly state: 'pending' | 'approved' | 'denied';
  readonly votes: readonly ApprovalVote[];
  readonly decision: ApprovalDecision | null;
}

/** Counts a vote: one reject denies, the quorum-th human approves. Undefined when this human has voted before. */
export function countVote(
  record: Pick<ApprovalRecord, 'votes' | 'quorum'>,
  vote: ApprovalVote,
): VoteCount | undefined {
  if (record.votes.some((earlier) => earlier.human === vote.human)) return undefined;
  const votes = [...record.votes, vote];
  const { decision, human, at, reason } = vote;
  const made: ApprovalDecision = { decision, by: human, at, reason };
  if (decision === 'reject') return { state: 'denied', votes, decision: made };
  return votes.length >= record.quorum
    ? { state: 'approved', votes, decision: made }
    : { state: 'pending', votes, decision: null };
}
