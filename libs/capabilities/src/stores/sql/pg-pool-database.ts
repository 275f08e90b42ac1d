import { withTimeLimit } from '../../kernel/time-limit.js';
import {
  DEFAULT_TIMEOUT_MS,
  SqlDatabase,
  type SqlRow,
  type SqlSession,
  type TransactionOptions,
} from './sql-database.js';

/** The part of a `pg` client that is used. */
export interface PgClientLike {
  query(text: string, values?: unknown[]): Promise<unknown>;
  release(destroy?: boolean): void;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a `pg` pool that is used. */
export interface PgPoolLike {
  connect(): Promise<PgClientLike>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

/** An `error` event without a listener ends the process; the fault itself reaches the caller as a rejected query. */
const heard = (): void => undefined;

/** A PostgreSQL database over the application's `pg` pool. */
class PgPoolDatabase extends SqlDatabase {
  constructor(
    private readonly pool: PgPoolLike,
    private readonly timeoutMs: number,
  ) {
    super();
    pool.on?.('error', heard);
  }

  query(text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    return this.withClient(this.timeoutMs, (client) => rowsOf(client.query(text, [...values])));
  }

  transaction<T>(
    work: (session: SqlSession) => Promise<T>,
    { timeoutMs = this.timeoutMs, before }: TransactionOptions<T> = {},
  ): Promise<T> {
    return this.withClient(timeoutMs, async (client) => {
      const session: SqlSession = {
        query: (text, values = []) => rowsOf(client.query(text, [...values])),
        script: async (text) => void (await client.query(text)),
      };
      const early = await before?.(session);
      if (early !== undefined) return early;
      await client.query(begin(timeoutMs));
      const result = await work(session).catch(async (error: unknown) => {
        await client.query('rollback');
        throw error;
      });
      await client.query('commit');
      return result;
    });
  }

  /** Lends a client for at most the time limit. A client that did not finish cleanly is closed, not reused. */
  private async withClient<T>(timeoutMs: number, work: (client: PgClientLike) => Promise<T>): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    const client = await this.acquire(timeoutMs);
    client.on?.('error', heard);
    let clean = false;
    const running = work(client).then(
      (value) => {
        clean = true;
        return value;
      },
      (error: unknown) => {
        clean = isServerError(error);
        throw error;
      },
    );
    try {
      return await withTimeLimit(running, Math.max(deadline - performance.now(), timeoutMs / 2));
    } finally {
      client.removeListener?.('error', heard);
      client.release(!clean);
    }
  }

  private async acquire(timeoutMs: number): Promise<PgClientLike> {
    const connecting = this.pool.connect();
    try {
      return await withTimeLimit(connecting, timeoutMs);
    } catch (error) {
      // A connection that comes too late goes straight back.
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw error;
    }
  }
}

/** The server also stops what the client gave up on. One round trip. */
const begin = (timeoutMs: number): string =>
  'begin isolation level read committed; ' +
  `set local statement_timeout = ${Math.ceil(timeoutMs)}; ` +
  `set local lock_timeout = ${Math.ceil(timeoutMs)}; ` +
  `set local idle_in_transaction_session_timeout = ${Math.ceil(timeoutMs) * 2}`;

/** An error that left the connection usable: our own, or one with an SQLSTATE outside class 08, 57 and XX. */
function isServerError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === undefined) return !/connection|terminated|timeout|closed/i.test(String(error));
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|XX)/.test(code);
}

async function rowsOf(result: Promise<unknown>): Promise<readonly SqlRow[]> {
  return ((await result) as { readonly rows: readonly SqlRow[] }).rows;
}

/**
 * A PostgreSQL database (13 or newer) over a `pg` pool. The pool stays the application's: create and end it there.
 * Tables live in the first schema of the connection's `search_path`.
 * @param options.timeoutMs Limit of one statement or transaction, and of the wait for a connection. Default 1 300.
 */
export function fromPgPool(pool: PgPoolLike, options: { readonly timeoutMs?: number } = {}): SqlDatabase {
  return new PgPoolDatabase(pool, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}
