import { withTimeLimit } from '../../kernel/time-limit.js';
import {
  DEFAULT_TIMEOUT_MS,
  SqlDatabase,
  type SqlRow,
  type SqlSession,
  type TransactionOptions,
} from './sql-database.js';

interface PgliteSession {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
  exec(text: string): Promise<unknown>;
}

/** The part of a PGlite database that is used. */
export interface PgliteLike extends PgliteSession {
  transaction<T>(work: (session: PgliteSession) => Promise<T>): Promise<T>;
}

/** An embedded database; one process owns its folder. PGlite itself serializes transactions. */
class PgliteDatabase extends SqlDatabase {
  constructor(
    private readonly db: PgliteLike,
    private readonly timeoutMs: number,
  ) {
    super();
  }

  query(text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    return withTimeLimit(rowsOf(this.db, text, values), this.timeoutMs);
  }

  transaction<T>(
    work: (session: SqlSession) => Promise<T>,
    { timeoutMs = this.timeoutMs, before }: TransactionOptions<T> = {},
  ): Promise<T> {
    return withTimeLimit(this.run(work, before), timeoutMs);
  }

  private async run<T>(
    work: (session: SqlSession) => Promise<T>,
    before: TransactionOptions<T>['before'],
  ): Promise<T> {
    const early = await before?.(sessionOf(this.db));
    return early ?? this.db.transaction((session) => work(sessionOf(session)));
  }
}

function sessionOf(session: PgliteSession): SqlSession {
  return {
    query: (text, values = []) => rowsOf(session, text, values),
    script: async (text) => void (await session.exec(text)),
  };
}

async function rowsOf(
  session: PgliteSession,
  text: string,
  values: readonly unknown[],
): Promise<readonly SqlRow[]> {
  const { rows } = await session.query(text, [...values]);
  return rows as readonly SqlRow[];
}

/**
 * An embedded PostgreSQL over a PGlite instance, which stays the application's: create and close it there.
 * @param options.timeoutMs Limit of one statement or transaction. Default 1 300.
 */
export function fromPglite(db: PgliteLike, options: { readonly timeoutMs?: number } = {}): SqlDatabase {
  return new PgliteDatabase(db, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}
