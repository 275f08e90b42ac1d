import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A schema of its own on the PostgreSQL server, dropped at the end. */
export class TestSchema {
  readonly name = `capabilities_${randomBytes(6).toString('hex')}`;
  private readonly pools: pg.Pool[] = [];
  private readonly admin = new pg.Pool({ ...connection(), max: 1 });

  static async create(): Promise<TestSchema> {
    const schema = new TestSchema();
    await schema.admin.query(`create schema ${schema.name}`);
    return schema;
  }

  /** A pool whose connections work in this schema. */
  pool(options: pg.PoolConfig = {}): pg.Pool {
    const pool = new pg.Pool({ ...connection(), max: 5, options: `-c search_path=${this.name}`, ...options });
    this.pools.push(pool);
    return pool;
  }

  async drop(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.end()));
    await this.admin.query(`drop schema ${this.name} cascade`);
    await this.admin.end();
  }
}

function connection(): pg.PoolConfig {
  const url = process.env['TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test';
  return { connectionString: url, connectionTimeoutMillis: 5_000 };
}
