import { createHash } from 'node:crypto';
import { sha256 } from '../kernel/hash.js';
import { executionId } from '../kernel/ids.js';
import type { PrincipalRef } from '../kernel/principal.js';
import type { AuditEvent, AuditEventType } from './audit-event.js';
import type { AuditColumns, AuditEntry, AuditRow } from './audit-query.js';

/** `prevHash` of the first row of a chain. */
export const GENESIS = '0'.repeat(64);

/** The event types whose `reason` a human wrote, or which names a human: erased with the subject. */
const PERSONAL_REASON: ReadonlySet<AuditEventType> = new Set<AuditEventType>([
  'decided',
  'withdrawn',
  'resolved',
  'voided',
]);

const OUTCOMES: Partial<Record<AuditEventType, string>> = {
  completed: 'success',
  failed: 'failure',
  denied: 'denied',
  cancelled: 'cancelled',
  suspended: 'suspended',
  expired: 'expired',
};

/** An event made ready for its tenant's chain. */
export interface ChainItem {
  readonly tenant: string;
  readonly body: string;
  readonly subject: string;
  readonly commitment: string;
  readonly columns: AuditColumns;
}

interface Subject {
  readonly salt: string;
  readonly principal: PrincipalRef | null;
  readonly reason?: string;
}

/**
 * Splits an event: what identifies a person goes into a salted text of its own, of which the chain holds only
 * a commitment, so that it can be erased later while the chain still verifies.
 */
export function chainItem(event: AuditEvent): ChainItem {
  const { principal, ...rest } = event;
  const { reason, ...impersonal } = rest as typeof rest & { reason?: string };
  const personal = PERSONAL_REASON.has(event.type) && reason !== undefined;
  // The salt is 128 random bits: a short subject cannot be guessed from its commitment.
  const salted: Subject = { salt: executionId(), principal, ...(personal ? { reason } : {}) };
  const subject = JSON.stringify(salted);
  const body = JSON.stringify(personal ? impersonal : rest);
  return {
    tenant: event.tenant,
    body,
    subject,
    commitment: commitmentOf(subject),
    columns: { ...bodyColumns(event), ...subjectColumns(principal) },
  };
}

/** `SHA-256(0x01 ‖ previous hash ‖ sequence number, 8 bytes big-endian ‖ commitment ‖ body)`, lower-case hexadecimal. */
export function rowHash(prevHash: string, seq: number, commitment: string, body: string): string {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(seq));
  return createHash('sha256')
    .update(Buffer.of(1))
    .update(prevHash, 'hex')
    .update(number)
    .update(commitment, 'hex')
    .update(body, 'utf8')
    .digest('hex');
}

/** The event of a row; without its subject when that was erased. */
export function entryOf(row: AuditRow): AuditEntry {
  const body = JSON.parse(row.body) as Omit<AuditEvent, 'principal'>;
  if (row.subject === null) {
    return { seq: row.seq, hash: row.hash, erased: true, event: { ...body, principal: null } as AuditEvent };
  }
  const { principal, reason } = JSON.parse(row.subject) as Subject;
  const event = { ...body, principal, ...(reason === undefined ? {} : { reason }) } as AuditEvent;
  return { seq: row.seq, hash: row.hash, erased: false, event };
}

/** What a row is found to be; undefined when it is sound. `prevHash` is the hash of the row before it. */
export function rowProblem(row: AuditRow, prevHash: string, seq: number): string | undefined {
  if (row.seq !== seq) return `expected row ${seq}, found ${row.seq}`;
  if (row.prevHash !== prevHash) return 'does not follow the row before it';
  try {
    if (rowHash(prevHash, seq, row.commitment, row.body) !== row.hash)
      return 'the hash does not match the content';
    if (row.subject !== null && commitmentOf(row.subject) !== row.commitment)
      return 'the subject was changed';
    return columnProblem(row);
  } catch {
    return 'the content is damaged';
  }
}

function columnProblem(row: AuditRow): string | undefined {
  const { event } = entryOf(row);
  if (event.tenant !== row.tenant) return 'the tenant was changed';
  const expected: AuditColumns = { ...bodyColumns(event), ...subjectColumns(event.principal) };
  const changed = (Object.keys(expected) as (keyof AuditColumns)[]).find(
    (key) => expected[key] !== row.columns[key],
  );
  return changed === undefined ? undefined : `the column ${changed} was changed`;
}

function bodyColumns(event: AuditEvent): Omit<AuditColumns, 'principal' | 'human'> {
  return {
    at: event.at,
    type: event.type,
    capability: columnText(event.capability),
    executionId: event.executionId,
    correlationId: columnText(event.correlationId),
    approvalId: event.approvalId ?? null,
    outcome: event.type === 'decided' ? event.decision : (OUTCOMES[event.type] ?? null),
  };
}

function subjectColumns(principal: PrincipalRef | null): Pick<AuditColumns, 'principal' | 'human'> {
  return {
    principal: principal === null ? null : columnText(principal.id),
    human: principal === null || principal.human === null ? null : columnText(principal.human),
  };
}

/** NUL and lone surrogates, which a database's text cannot hold; the body keeps them escaped. */
const columnText = (text: string): string => Buffer.from(text.replaceAll('\0', '\ufffd')).toString();

const commitmentOf = (subject: string): string => sha256('nest-capabilities.audit.subject.v1', subject);
