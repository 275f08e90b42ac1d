import { mkdirSync } from 'node:fs';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { CapabilityStore } from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { fromPglite, fromPgPool, SqlCapabilityStore } from 'nest-capabilities/sql';

/**
 * Where approvals, idempotency keys and audit are kept: PostgreSQL with `DATABASE_URL`, else an embedded
 * database in the folder `DESK_DATA` (default `.data`), or this process's memory with `DESK_DATA=memory`.
 */
@Injectable()
export class DeskDatabase implements OnApplicationShutdown {
  private close: (() => Promise<void>) | undefined;

  async open(): Promise<CapabilityStore> {
    const { DATABASE_URL: url, DESK_DATA: folder = '.data' } = process.env;
    if (url !== undefined) return this.postgres(url);
    return folder === 'memory' ? new MemoryCapabilityStore() : this.embedded(folder);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close?.();
  }

  private async postgres(connectionString: string): Promise<CapabilityStore> {
    const { Pool } = (await import('pg')).default;
    const pool = new Pool({ connectionString, connectionTimeoutMillis: 1_000 });
    this.close = () => pool.end();
    return new SqlCapabilityStore(fromPgPool(pool));
  }

  private async embedded(folder: string): Promise<CapabilityStore> {
    const { PGlite } = await import('@electric-sql/pglite');
    mkdirSync(folder, { recursive: true });
    const database = await PGlite.create(folder);
    this.close = () => database.close();
    return new SqlCapabilityStore(fromPglite(database));
  }
}
