import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_LIMIT_MS = 20_000;

/** A PostgreSQL server of the test's own, which it may break. */
export class OwnPostgres {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    if (asRoot) run('chown', ['postgres', folder]);
    const server = new OwnPostgres(folder, await freePort());
    run('initdb', ['-D', server.data, '-U', 'postgres', '-A', 'trust', '--no-sync']);
    server.up();
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  up(): void {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder} -c fsync=off`;
    run('pg_ctl', ['-D', this.data, '-w', '-o', options, '-l', join(this.folder, 'log'), 'start']);
  }

  /** Every connection breaks at once, and new ones are refused. */
  down(): void {
    run('pg_ctl', ['-D', this.data, '-w', '-m', 'immediate', 'stop']);
  }

  /** Connections stay open and nothing answers any more. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  close(): void {
    if (existsSync(join(this.data, 'postmaster.pid'))) {
      this.thaw();
      this.down();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** To the server's own processes: the postmaster named in its data folder and that one's children. */
  private signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const [pid = ''] = readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n');
    const postmaster = Number(pid);
    for (const each of [postmaster, ...childrenOf(postmaster)]) process.kill(each, signal);
  }
}

const asRoot = process.getuid?.() === 0;

/** Where the server's programs are: on the path, or where Debian puts them. */
function program(name: string): string {
  const debian = '/usr/lib/postgresql';
  const newest = existsSync(debian) ? readdirSync(debian).sort().at(-1) : undefined;
  const path = newest === undefined ? name : join(debian, newest, 'bin', name);
  return existsSync(path) ? path : name;
}

/** Runs a program to its end; PostgreSQL's own as its user, since it refuses root. */
function run(name: string, args: readonly string[]): void {
  const file = program(name);
  const [command, list] =
    asRoot && name !== 'chown' ? ['runuser', ['-u', 'postgres', '--', file, ...args]] : [file, [...args]];
  const { status, stderr, error } = spawnSync(command, list, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: START_LIMIT_MS,
  });
  if (status !== 0) throw new Error(`${name} failed: ${stderr ?? ''} ${String(error ?? '')}`);
}

function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => Number(line))
    .filter((pid) => pid > 0);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
