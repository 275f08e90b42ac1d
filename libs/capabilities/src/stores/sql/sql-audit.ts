import type { AuditEvent } from '../../audit/audit-event.js';
import type { AuditPage, AuditPageRequest, AuditRow } from '../../audit/audit-query.js';
import type { Checkpoint } from '../../audit/checkpoint.js';
import { entryOf } from '../../audit/hash-chain.js';
import { AuditStore, markStored } from '../../audit/stored-audit.js';
import { AuditBatch } from './audit-batch.js';
import { toFilter, toNullable } from './approval-rows.js';
import type { SqlRow } from './sql-database.js';
import { APPEND, appendArgument, type SqlRunner } from './sql-runner.js';

const COLUMNS = `tenant, seq::float8 as seq, at::float8 as at, type, capability, execution_id, correlation_id,
  approval_id, outcome, principal, human, body, subject, commitment, prev_hash, hash`;

/** The audit in SQL: rows are only ever added; the database computes the chain under a lock per tenant. */
export class SqlAudit extends AuditStore {
  private readonly batch = new AuditBatch((events) => this.write(events));

  constructor(private readonly runner: SqlRunner) {
    super();
  }

  append(event: AuditEvent): Promise<void> {
    return this.batch.add(event);
  }

  page(request: AuditPageRequest): Promise<AuditPage> {
    const { tenant, types, capability, executionId, correlationId, approvalId, subject, from, to } = request;
    const { limit, after = 0, order = 'oldest' } = request;
    return this.runner.query(
      `select ${COLUMNS} from capability_audit
       where tenant = $1
         and ($2::text is null or type in (select json_array_elements_text($2::json)))
         and ($3::text is null or capability = $3)
         and ($4::text is null or execution_id = $4)
         and ($5::text is null or correlation_id = $5)
         and ($6::text is null or approval_id = $6)
         and ($7::text is null or principal = $7 or human = $7)
         and ($8::float8 is null or at >= $8::float8)
         and ($9::float8 is null or at < $9::float8)
         and ${order === 'oldest' ? 'seq > $10::bigint' : '($10::bigint = 0 or seq < $10::bigint)'}
       order by capability_audit.seq ${order === 'oldest' ? 'asc' : 'desc'} limit $11`,
      [
        tenant,
        toNullable(types ?? null),
        ...[capability, executionId, correlationId, approvalId, subject].map(toFilter),
        from ?? null,
        to ?? null,
        after,
        limit + 1,
      ],
      (rows) => {
        const entries = rows.slice(0, limit).map((row) => entryOf(rowOf(row)));
        return { entries, next: rows.length > limit ? entries.at(-1)!.seq : undefined };
      },
    );
  }

  rows(tenant: string, from: number, limit: number): Promise<readonly AuditRow[]> {
    return this.runner.query(
      `select ${COLUMNS} from capability_audit where tenant = $1 and seq >= $2::bigint
       order by capability_audit.seq limit $3`,
      [tenant, from, limit],
      (rows) => rows.map(rowOf),
    );
  }

  tenants(): Promise<readonly string[]> {
    return this.runner.query('select distinct tenant from capability_audit order by tenant', [], (rows) =>
      rows.map((row) => row['tenant'] as string),
    );
  }

  base(tenant: string): Promise<Checkpoint | undefined> {
    return this.runner.query(
      'select checkpoint from capability_audit_bases where tenant = $1',
      [tenant],
      ([row]) => (row === undefined ? undefined : (JSON.parse(row['checkpoint'] as string) as Checkpoint)),
    );
  }

  prune(checkpoint: Checkpoint): Promise<number> {
    const { tenant, seq, hash } = checkpoint;
    return this.runner.transaction(async (tx) => {
      const [row] = await tx.query(
        'select hash from capability_audit where tenant = $1 and seq = $2::bigint',
        [tenant, seq],
      );
      if (row?.['hash'] !== hash) throw new TypeError('The checkpoint does not match the chain.');
      await tx.query(
        `insert into capability_audit_bases (tenant, checkpoint) values ($1, $2)
         on conflict (tenant) do update set checkpoint = excluded.checkpoint`,
        [tenant, JSON.stringify(checkpoint)],
      );
      const removed = 'delete from capability_audit where tenant = $1 and seq < $2::bigint returning seq';
      return (await tx.query(removed, [tenant, seq])).length;
    });
  }

  erase(
    tenant: string,
    subject: string,
    limit: number,
    event: (seqs: readonly number[]) => AuditEvent,
  ): Promise<number> {
    return this.runner.transaction(async (tx) => {
      const rows = await tx.query(
        `update capability_audit set subject = null, principal = null, human = null
         where tenant = $1 and seq in (
           select seq from capability_audit where tenant = $1 and (principal = $2 or human = $2) order by seq limit $3
         ) returning seq::float8 as seq`,
        [tenant, subject, limit],
      );
      const seqs = rows.map((row) => row['seq'] as number).sort((a, b) => a - b);
      if (seqs.length > 0) await tx.append(event(seqs));
      return seqs.length;
    });
  }

  private async write(events: readonly AuditEvent[]): Promise<void> {
    await this.runner.transaction((tx) => tx.query(APPEND, [appendArgument(events)]));
    for (const event of events) markStored(event);
  }
}

function rowOf(row: SqlRow): AuditRow {
  const text = (column: string): string => row[column] as string;
  const nullable = (column: string): string | null => row[column] as string | null;
  return {
    tenant: text('tenant'),
    seq: row['seq'] as number,
    body: text('body'),
    subject: nullable('subject'),
    commitment: text('commitment'),
    prevHash: text('prev_hash'),
    hash: text('hash'),
    columns: {
      at: row['at'] as number,
      type: text('type'),
      capability: text('capability'),
      executionId: text('execution_id'),
      correlationId: text('correlation_id'),
      approvalId: nullable('approval_id'),
      outcome: nullable('outcome'),
      principal: nullable('principal'),
      human: nullable('human'),
    },
  };
}
