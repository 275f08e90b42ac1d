import { type ConversationRecord, ConversationStore } from '../../execution/conversation-store.js';
import { SystemClock } from '../../kernel/clock.js';
import { prepareSchema } from './migrate.js';
import type { SqlDatabase } from './sql-database.js';
import { SqlRunner, sqlNow } from './sql-runner.js';
import type { SqlStoreOptions } from './sql-store.js';

/** Conversations of assistants in PostgreSQL or PGlite: any instance on the database goes on with them. */
export class SqlConversationStore extends ConversationStore {
  private readonly runner: SqlRunner;

  constructor(
    database: SqlDatabase,
    private readonly options: SqlStoreOptions = {},
  ) {
    super();
    this.runner = new SqlRunner(database, options.clock ?? new SystemClock());
  }

  open(): Promise<void> {
    return prepareSchema(this.runner, this.options.migrate);
  }

  find(owner: string, id: string): Promise<ConversationRecord | undefined> {
    return this.runner.query(
      'select record from capability_conversations where owner = $1 and id = $2',
      [owner, asText(id)],
      ([row]) =>
        row === undefined ? undefined : (JSON.parse(row['record'] as string) as ConversationRecord),
    );
  }

  save(record: ConversationRecord, expected: number): Promise<boolean> {
    const { owner, id, version } = record;
    const values = [owner, asText(id), version, JSON.stringify(record), this.runner.offset];
    const saved = (rows: readonly unknown[]): boolean => rows.length === 1;
    if (expected === 0) {
      return this.runner.query(
        `insert into capability_conversations (owner, id, version, record, changed_at)
         values ($1, $2, $3, $4, ${sqlNow(5)}) on conflict do nothing returning id`,
        values,
        saved,
      );
    }
    return this.runner.query(
      `update capability_conversations set version = $3, record = $4, changed_at = ${sqlNow(5)}
       where owner = $1 and id = $2 and version = $6 returning id`,
      [...values, expected],
      saved,
    );
  }

  remove(owner: string, id: string): Promise<void> {
    return this.runner.query(
      `with calls as (delete from capability_tool_calls where owner = $1 and conversation = $2)
       delete from capability_conversations where owner = $1 and id = $2`,
      [owner, asText(id)],
      () => undefined,
    );
  }

  remember(owner: string, conversation: string, toolCallId: string, approvalId: string): Promise<void> {
    return this.runner.query(
      `insert into capability_tool_calls (owner, conversation, tool_call, approval) values ($1, $2, $3, $4)
       on conflict (owner, conversation, tool_call) do update set approval = excluded.approval`,
      [owner, asText(conversation), asText(toolCallId), approvalId],
      () => undefined,
    );
  }

  recall(owner: string, conversation: string, toolCallId: string): Promise<string | undefined> {
    return this.runner.query(
      'select approval from capability_tool_calls where owner = $1 and conversation = $2 and tool_call = $3',
      [owner, asText(conversation), asText(toolCallId)],
      ([row]) => row?.['approval'] as string | undefined,
    );
  }
}

/** Ids come from models and clients: as JSON text they hold nothing that a database's text cannot. */
const asText = (id: string): string => JSON.stringify(id);
