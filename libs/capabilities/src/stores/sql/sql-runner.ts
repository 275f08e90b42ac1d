import type { AuditEvent } from '../../audit/audit-event.js';
import { chainItem } from '../../audit/hash-chain.js';
import { markStored } from '../../audit/stored-audit.js';
import { CapabilityError } from '../../errors/capability-error.js';
import type { Clock } from '../../kernel/clock.js';
import type { SqlDatabase, SqlRow, SqlSession, TransactionOptions } from './sql-database.js';

/** One open transaction. */
export interface SqlTransaction extends SqlSession {
  /** Appends an event to its tenant's chain; it counts as stored once the transaction commits. */
  append(event: AuditEvent): Promise<void>;
}

/** Runs statements and turns every fault into UNAVAILABLE: no answer is ever taken for "there is nothing". */
export class SqlRunner {
  constructor(
    private readonly database: SqlDatabase,
    readonly clock: Clock,
  ) {}

  /** Milliseconds that SQL adds to `clock_timestamp()`. */
  get offset(): number {
    return this.clock.offset();
  }

  /** One statement; `read` turns its rows into what they mean. */
  async query<T>(text: string, values: readonly unknown[], read: (rows: readonly SqlRow[]) => T): Promise<T> {
    return available(async () => read(await this.database.query(text, values)));
  }

  async transaction<T>(
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions<T>,
  ): Promise<T> {
    const appended: AuditEvent[] = [];
    const result = await available(() =>
      this.database.transaction(
        (session) =>
          work({
            query: (text, values) => session.query(text, values),
            script: (text) => session.script(text),
            append: async (event) => {
              await session.query(APPEND, [appendArgument([event])]);
              appended.push(event);
            },
          }),
        options,
      ),
    );
    for (const event of appended) markStored(event);
    return result;
  }
}

/** The current time of the store inside a statement; `$n` is the clock's offset in milliseconds. */
export function sqlNow(n: number): string {
  return `(clock_timestamp() + $${n}::float8 * interval '1 millisecond')`;
}

export const APPEND = 'select capability_audit_append($1)';

/** Events in the form that `capability_audit_append` takes, one tenant after the other so that locks cannot cross. */
export function appendArgument(events: readonly AuditEvent[]): string {
  const rows = events.map((event) => {
    const { tenant, body, subject, commitment, columns } = chainItem(event);
    return { ...columns, tenant, body, subject, commitment };
  });
  return JSON.stringify(rows.sort((a, b) => (a.tenant < b.tenant ? -1 : a.tenant > b.tenant ? 1 : 0)));
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CapabilityError) throw cause;
    throw new CapabilityError('UNAVAILABLE', { cause, retryAfter: 1 });
  }
}
