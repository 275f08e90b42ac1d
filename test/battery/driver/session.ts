import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { AdapterName, FixtureConfig, Settings, StoreName } from '../fixture/config.js';
import { FixtureProcess } from './fixture-process.js';
import { issueTokens } from './tokens.js';

const POSTGRES_URL = 'postgres://postgres@127.0.0.1:5432/test';

export interface SessionOptions {
  readonly store: StoreName;
  readonly adapter: AdapterName;
  /** Default: a port of the system's choice. */
  readonly port?: number;
  /** Default: a folder that is removed at the end. */
  readonly folder?: string;
  /**
   * Time limit of the store's statements, milliseconds; `default` is the library's. Default 10 000, so that
   * racers on a busy machine wait for each other instead of being told to come again.
   */
  readonly storeTimeoutMs?: number | 'default';
  /** PostgreSQL server. Default: TEST_POSTGRES_URL, else the local one. */
  readonly postgresUrl?: string;
}

/** The fixture on one store and one adapter: its processes, its files and its schema. */
export class BatterySession {
  /** The processes that answer; calls go to them in turn. */
  instances: FixtureProcess[] = [];
  clockOffset = 0;
  settings: Settings = {};
  private turn = 0;

  private constructor(
    readonly config: FixtureConfig,
    readonly tokens: Readonly<Record<string, string>>,
    /** The folder and the first process are somebody else's. */
    private readonly attached: boolean,
    private readonly keepsFolder: boolean,
  ) {}

  /** Prepares files and tokens and starts the first process. */
  static async open(options: SessionOptions): Promise<BatterySession> {
    const session = await BatterySession.prepare(options);
    try {
      await session.start(true);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private static async prepare(options: SessionOptions): Promise<BatterySession> {
    const { store, adapter, port = 0, folder, postgresUrl, storeTimeoutMs = 10_000 } = options;
    const { privateKey } = generateKeyPairSync('ed25519');
    const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const home = folder ?? mkdtempSync(join(tmpdir(), 'battery-'));
    mkdirSync(join(home, 'logs'), { recursive: true });
    const url = postgresUrl ?? process.env['TEST_POSTGRES_URL'] ?? POSTGRES_URL;
    const schema = `battery_${randomBytes(6).toString('hex')}`;
    const config: FixtureConfig = {
      store,
      adapter,
      port,
      folder: home,
      ...(store === 'postgres' ? { postgresUrl: url, schema } : {}),
      signingKey,
      clockOffset: 0,
      ...(storeTimeoutMs === 'default' ? {} : { storeTimeoutMs }),
      fresh: true,
      settings: {},
    };
    return new BatterySession(config, await issueTokens(signingKey), false, folder !== undefined);
  }

  /** A session whose first process is somebody else's. */
  static attach(
    config: FixtureConfig,
    tokens: Readonly<Record<string, string>>,
    first: { url: string; control: string },
  ): BatterySession {
    const session = new BatterySession(config, tokens, true, true);
    session.instances = [FixtureProcess.attach(first)];
    return session;
  }

  /** The next process in turn. */
  next(): FixtureProcess {
    return this.instances[this.turn++ % this.instances.length]!;
  }

  get first(): FixtureProcess {
    return this.instances[0]!;
  }

  /** Empties the store and leaves one process with default settings. */
  async fresh(): Promise<void> {
    const [first, ...others] = this.instances;
    await Promise.all(others.map((other) => other.stop()));
    this.instances = first?.alive === true ? [first] : [];
    this.clockOffset = 0;
    this.settings = {};
    if (this.instances.length === 0) return this.start(true);
    try {
      await this.reboot('reset', {});
    } catch (error) {
      // The case before left a process that is dying.
      await this.first.died(error);
      this.instances = [];
      await this.start(true);
    }
  }

  /** Starts one more process on the same store. */
  async start(fresh: boolean): Promise<void> {
    const { clockOffset, settings } = this;
    const port = this.instances.length === 0 ? this.config.port : 0;
    const instance = await FixtureProcess.start({ ...this.config, port, clockOffset, settings, fresh });
    // A second process of an attached driver ends with the driver's own.
    if (this.attached) instance.unref();
    this.instances.push(instance);
  }

  /** Ends every process and starts one; in memory, the application alone, since the store lives in the process. */
  async restart(settings: Settings): Promise<void> {
    if (this.config.store === 'memory' || this.first.pid === undefined) return this.reboot('boot', settings);
    this.settings = settings;
    await this.stopOwn();
    this.instances = [];
    await this.start(false);
  }

  /** Starts a process for each one that died. */
  async replaceDead(): Promise<void> {
    const alive = this.instances.filter((instance) => instance.alive);
    const died = this.instances.length - alive.length;
    this.instances = alive;
    for (let index = 0; index < died; index++) await this.start(false);
  }

  /** Ends the processes that this session started. */
  async stopOwn(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
  }

  async close(): Promise<void> {
    await this.stopOwn();
    const { schema, postgresUrl, folder } = this.config;
    if (schema !== undefined) await dropSchema(postgresUrl!, schema);
    if (!this.keepsFolder) rmSync(folder, { recursive: true, force: true });
  }

  /** Boots the application of the one process anew, on the same store or an emptied one. */
  async reboot(verb: 'reset' | 'boot', settings: Settings): Promise<void> {
    this.settings = settings;
    const { url } = (await this.first.ask(verb, { settings: this.settings })) as { url: string };
    this.first.url = url;
  }
}

async function dropSchema(connectionString: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`drop schema if exists ${schema} cascade`);
  await client.end();
}
