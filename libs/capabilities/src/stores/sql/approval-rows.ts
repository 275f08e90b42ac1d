import type {
  ApprovalDecision,
  ApprovalRecord,
  ApprovalRequestData,
  ApprovalState,
  ApprovalVote,
  StoredOutcome,
} from '../../approvals/approval-record.js';
import { isRecord } from '../../kernel/json.js';
import type { SqlRow } from './sql-database.js';
import { sqlNow } from './sql-runner.js';

const milliseconds = (column: string): string =>
  `(extract(epoch from ${column}) * 1000)::float8 as ${column}`;

/** What every statement on approvals returns. */
export const APPROVAL_COLUMNS = [
  'id::text as id',
  'tenant',
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

/** The record of a row. Throws for a damaged row: it must pass neither for another approval nor for none. */
export function approvalOf(row: SqlRow): ApprovalRecord {
  return {
    ...requestOf(row),
    state: row['state'] as ApprovalState,
    createdAt: Math.round(row['created_at'] as number),
    decideBy: Math.round(row['decide_by'] as number),
    executeBy: row['execute_by'] === null ? null : Math.round(row['execute_by'] as number),
    votes: votesOf(row['votes']),
    decision: row['decision'] === null ? null : decided<ApprovalDecision>(parse(row['decision'])),
    claimedBy: row['claimed_by'] as string | null,
    outcome: row['outcome'] === null ? null : outcomeOf(row['outcome']),
    note: row['note'] === null ? null : (parse(row['note']) as string),
  };
}

/** A stored outcome. Throws when it is damaged. */
export function outcomeOf(text: unknown): StoredOutcome {
  const outcome = parse(text);
  if (isRecord(outcome) && OUTCOMES.has(outcome['status'])) return outcome as unknown as StoredOutcome;
  return damaged();
}

const OUTCOMES: ReadonlySet<unknown> = new Set<StoredOutcome['status']>(['succeeded', 'failed', 'unknown']);

/** What was asked for, and by this very row. */
function requestOf(row: SqlRow): ApprovalRequestData {
  const request = parse(row['request']);
  if (!isRecord(request) || request['id'] !== row['id'] || request['tenant'] !== row['tenant'])
    return damaged();
  return request as unknown as ApprovalRequestData;
}

function votesOf(text: unknown): readonly ApprovalVote[] {
  const votes = parse(text);
  return Array.isArray(votes) ? votes.map((vote: unknown) => decided<ApprovalVote>(vote)) : damaged();
}

function decided<T extends ApprovalVote | ApprovalDecision>(value: unknown): T {
  if (isRecord(value) && (value['decision'] === 'approve' || value['decision'] === 'reject'))
    return value as unknown as T;
  return damaged();
}

const parse = (text: unknown): unknown => JSON.parse(text as string);

function damaged(): never {
  throw new TypeError('A stored row is damaged.');
}

/** A filter's text; what a database's text cannot hold is replaced, and finds nothing. */
export function toFilter(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\ufffd') ?? null;
}

/** JSON text for a nullable column: databases' text cannot hold NUL, JSON text escapes it. */
export function toNullable(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
