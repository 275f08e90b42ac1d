import { mkdirSync } from 'node:fs';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { CapabilityStore } from 'nest-capabilities';
import { type ConversationStore, MemoryConversationStore } from 'nest-capabilities/assistant';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import {
  fromPglite,
  fromPgPool,
  SqlCapabilityStore,
  SqlConversationStore,
  type SqlDatabase,
} from 'nest-capabilities/sql';

/**
 * Where approvals, idempotency keys, audit and conversations are kept: PostgreSQL with `DATABASE_URL`, else an
 * embedded database in the folder `DESK_DATA` (default `.data`), or this process's memory with `DESK_DATA=memory`.
 */
@Injectable()
export class DeskDatabase implements OnApplicationShutdown {
  private connected: Promise<SqlDatabase | undefined> | undefined;
  private close: (() => Promise<void>) | undefined;

  async open(): Promise<CapabilityStore> {
    const database = await this.database();
    return database === undefined ? new MemoryCapabilityStore() : new SqlCapabilityStore(database);
  }

  async conversations(): Promise<ConversationStore> {
    const database = await this.database();
    return database === undefined ? new MemoryConversationStore() : new SqlConversationStore(database);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close?.();
  }

  /** One connection for every store; undefined for memory. */
  private database(): Promise<SqlDatabase | undefined> {
    return (this.connected ??= this.connect());
  }

  private async connect(): Promise<SqlDatabase | undefined> {
    const { DATABASE_URL: url, DESK_DATA: folder = '.data' } = process.env;
    if (url !== undefined) return this.postgres(url);
    return folder === 'memory' ? undefined : this.embedded(folder);
  }

  private async postgres(connectionString: string): Promise<SqlDatabase> {
    const { Pool } = (await import('pg')).default;
    const pool = new Pool({ connectionString, connectionTimeoutMillis: 1_000 });
    this.close = () => pool.end();
    return fromPgPool(pool);
  }

  private async embedded(folder: string): Promise<SqlDatabase> {
    const { PGlite } = await import('@electric-sql/pglite');
    mkdirSync(folder, { recursive: true });
    const database = await PGlite.create(folder);
    this.close = () => database.close();
    return fromPglite(database);
  }
}
