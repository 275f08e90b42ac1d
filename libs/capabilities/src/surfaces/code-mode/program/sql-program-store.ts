import { type ProgramClaim, type ProgramLease, type ProgramRecord, ProgramStore } from './program-store.js';

/** The seam to the application's database: one statement with `$1`-style parameters. `SqlDatabase` fits. */
export interface ProgramDatabase {
  query(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The table of the programs, for applications that create their tables themselves. PostgreSQL and PGlite. */
export const PROGRAM_TABLE_SQL = `create table if not exists capability_programs (
  key text primary key,
  holder text not null,
  state text not null check (state in ('running', 'suspended')),
  until bigint not null,
  program text not null
)`;

/** Programs in SQL: they go on in any process that shares the database. Every method is one winner's statement. */
export class SqlProgramStore extends ProgramStore {
  constructor(private readonly database: ProgramDatabase) {
    super();
  }

  /** Creates the table where it is missing. */
  async open(): Promise<void> {
    await this.database.query(PROGRAM_TABLE_SQL);
  }

  async claim(key: string, { holder, now, until }: ProgramLease): Promise<ProgramClaim> {
    const [row] = await this.database.query(
      `update capability_programs set holder = $2, until = $4, state = 'running'
       where key = $1 and ((state = 'running' and until <= $3) or (state = 'suspended' and until > $3))
       returning program`,
      [key, holder, now, until],
    );
    if (row !== undefined) {
      const program = JSON.parse(row['program'] as string) as Pick<ProgramRecord, 'seed' | 'calls'>;
      return { status: 'claimed', record: { key, holder, state: 'running', until, ...program } };
    }
    await this.database.query(
      `delete from capability_programs where key = $1 and state = 'suspended' and until <= $2`,
      [key, now],
    );
    const held = await this.database.query('select key from capability_programs where key = $1', [key]);
    return { status: held.length > 0 ? 'held' : 'none' };
  }

  async save({ key, holder, state, until, seed, calls }: ProgramRecord): Promise<boolean> {
    const rows = await this.database.query(
      `insert into capability_programs as mine (key, holder, state, until, program) values ($1, $2, $3, $4, $5)
       on conflict (key) do update set state = excluded.state, until = excluded.until, program = excluded.program
       where mine.holder = excluded.holder returning key`,
      [key, holder, state, until, JSON.stringify({ seed, calls })],
    );
    return rows.length > 0;
  }

  async remove(key: string, holder: string): Promise<void> {
    await this.database.query('delete from capability_programs where key = $1 and holder = $2', [
      key,
      holder,
    ]);
  }
}
