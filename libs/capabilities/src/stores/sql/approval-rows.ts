import type {
  ApprovalDecision,
  ApprovalRecord,
  ApprovalRequestData,
  ApprovalState,
  ApprovalVote,
  StoredOutcome,
} from '../../approvals/approval-record.js';
import type { SqlRow } from './sql-database.js';
import { sqlNow } from './sql-runner.js';

const milliseconds = (column: string): string =>
  `(extract(epoch from ${column}) * 1000)::float8 as ${column}`;

/** What every statement on approvals returns. */
export const APPROVAL_COLUMNS = [
  'position::text as position',
  'state',
  'request',
  'votes',
  'decision',
  'note',
  'claimed_by',
  'outcome',
  milliseconds('created_at'),
  milliseconds('decide_by'),
  milliseconds('execute_by'),
].join(', ');

/** True for a row that time alone has moved on; `$n` is the clock's offset. */
export function overdue(n: number): string {
  const now = sqlNow(n);
  return (
    `((state = 'pending' and decide_by <= ${now}) or (state = 'approved' and execute_by <= ${now})` +
    ` or (state = 'claimed' and lease_until <= ${now}))`
  );
}

/** The record of a row. Throws for a damaged row. */
export function approvalOf(row: SqlRow): ApprovalRecord {
  const request = JSON.parse(row['request'] as string) as ApprovalRequestData;
  return {
    ...request,
    state: row['state'] as ApprovalState,
    createdAt: Math.round(row['created_at'] as number),
    decideBy: Math.round(row['decide_by'] as number),
    executeBy: row['execute_by'] === null ? null : Math.round(row['execute_by'] as number),
    votes: JSON.parse(row['votes'] as string) as ApprovalVote[],
    decision: parseNullable<ApprovalDecision>(row['decision']),
    claimedBy: row['claimed_by'] as string | null,
    outcome: parseNullable<StoredOutcome>(row['outcome']),
    note: parseNullable<string>(row['note']),
  };
}

/** JSON text for a nullable column: databases' text cannot hold NUL, JSON text escapes it. */
export function toNullable(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

const parseNullable = <T>(text: unknown): T | null =>
  text === null ? null : (JSON.parse(text as string) as T);
