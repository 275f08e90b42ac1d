import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FixtureConfig } from '../fixture/config.js';
import { send } from './http.js';

const MAIN = join(import.meta.dirname, '../fixture/run.mjs');
const START_LIMIT_MS = 60_000;
const DEATH_LIMIT_MS = 5_000;

interface Ready {
  readonly url: string;
  readonly control: string;
}

/** One process of the fixture. */
export class FixtureProcess {
  url = '';
  controlUrl = '';

  private constructor(
    private readonly child: ChildProcess | undefined,
    /** Resolves with the exit code, or null after a signal. */
    readonly exited: Promise<number | null>,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts a process; rejects when it ends before it serves. Its output goes to `logs/`. */
  static async start(config: FixtureConfig): Promise<FixtureProcess> {
    const path = join(config.folder, 'logs', `fixture-${Date.now()}-${++started}.log`);
    const log = openSync(path, 'w');
    const child = spawn(process.execPath, ['--no-warnings', MAIN], {
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '', BATTERY_CONFIG: JSON.stringify(config) },
    });
    closeSync(log);
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    const instance = new FixtureProcess(child, exited);
    const ready = new Promise<Ready>((resolve) =>
      child.once('message', (message) => resolve(message as Ready)),
    );
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    const late = new Promise<undefined>((resolve) =>
      limit.addEventListener('abort', () => resolve(undefined)),
    );
    const told = await Promise.race([ready, exited.then(() => undefined), late]);
    if (told === undefined) {
      child.kill('SIGKILL');
      throw new Error(`The fixture did not start:\n${readFileSync(path, 'utf8').slice(-2_000)}`);
    }
    instance.url = told.url;
    instance.controlUrl = told.control;
    return instance;
  }

  /** A process that somebody else started. */
  static attach({ url, control }: Ready): FixtureProcess {
    const instance = new FixtureProcess(undefined, new Promise(() => undefined));
    instance.url = url;
    instance.controlUrl = control;
    return instance;
  }

  get alive(): boolean {
    return this.child === undefined || (this.child.exitCode === null && this.child.signalCode === null);
  }

  /** Lets the driver's process end while this one runs; it ends when the driver's does. */
  unref(): void {
    this.child?.unref();
    this.child?.channel?.unref();
  }

  /** Asks one verb of the control channel. */
  async ask(verb: string, args: object = {}): Promise<unknown> {
    const { text } = await send(`${this.controlUrl}/${verb}`, { method: 'POST', body: JSON.stringify(args) });
    const { value, error } = JSON.parse(text) as { value?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** Resolves when the process has ended; rejects with `cause` when it goes on. */
  async died(cause: unknown): Promise<void> {
    const limit = new Promise((resolve) => setTimeout(resolve, DEATH_LIMIT_MS).unref());
    await Promise.race([this.exited, limit]);
    if (this.alive) throw cause;
  }

  /** Ends the process: politely, or at once. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.child === undefined || !this.alive) return;
    this.child.kill(signal);
    await this.exited;
  }
}

let started = 0;
