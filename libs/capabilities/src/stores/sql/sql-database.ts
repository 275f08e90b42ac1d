/** A row as the driver returns it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Statements on one connection. */
export interface SqlSession {
  /** One statement with `$1`-style parameters. */
  query(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>;
  /** Several statements without parameters. */
  script(text: string): Promise<void>;
}

/**
 * The seam to the application's driver (port). Every call ends within its time limit, waiting for a
 * connection included; it rejects when it does not.
 */
export abstract class SqlDatabase {
  /** One statement outside a transaction. */
  abstract query(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>;
  /**
   * Runs `work` in one READ COMMITTED transaction: commits when it resolves, rolls back when it rejects.
   */
  abstract transaction<T>(
    work: (session: SqlSession) => Promise<T>,
    options?: TransactionOptions<T>,
  ): Promise<T>;
}

export interface TransactionOptions<T> {
  /** Milliseconds. Default: the database's own limit. */
  readonly timeoutMs?: number;
  /** Runs first, on the same connection but outside the transaction; an answer makes the transaction needless. */
  readonly before?: (session: SqlSession) => Promise<T | undefined>;
}

/**
 * Default time limit of one statement or transaction, milliseconds. The wait for a connection may take as long,
 * and leaves at least half of it for the work, so that a caller hears within two seconds.
 */
export const DEFAULT_TIMEOUT_MS = 1_300;
