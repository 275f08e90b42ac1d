import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { freePort } from '../mcp/support/run-script.js';

const MAIN = 'dist/main.js';

/** Starts the built demo and gives what it wrote once it printed `until` or ended. */
async function output(child: ChildProcess, until: string): Promise<string> {
  let text = '';
  const ended = once(child, 'exit').then(() => text);
  const ready = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes(until)) resolve(text);
      });
    }
  });
  return Promise.race([ready, ended]);
}

/** The demo as `npm run demo` starts it, in a process of its own on a free port. */
export class DemoProcess {
  private constructor(
    private readonly child: ChildProcess,
    /** Everything it printed while starting. */
    readonly printed: string,
  ) {}

  /** `environment` is added to this process's own. */
  static async start(
    adapter: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<DemoProcess> {
    if (!existsSync(MAIN)) throw new Error('The demo is not built: run `npm run build` first.');
    const PORT = String(await freePort());
    const child = spawn(process.execPath, [MAIN, '--adapter', adapter], {
      env: { ...process.env, NODE_OPTIONS: '', PORT, DESK_DATA: 'memory', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new DemoProcess(child, await output(child, 'Try it:'));
  }

  get url(): string {
    const url = /(http:\/\/\S+)\/docs\b/.exec(this.printed)?.[1];
    if (url === undefined) throw new Error(`The demo printed no address:\n${this.printed}`);
    return url;
  }

  /** The token printed for an identity. */
  token(who: string): string {
    const token = new RegExp(`^  ${who}  .*\\n\\s+(\\S+)$`, 'm').exec(this.printed)?.[1];
    if (token === undefined) throw new Error(`The demo printed no token of ${who}:\n${this.printed}`);
    return token;
  }

  async document(): Promise<OpenAPIObject> {
    return (await (await fetch(`${this.url}/docs-json`)).json()) as OpenAPIObject;
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /** Ends it as a terminal does, and gives its exit code or signal. */
  async stop(): Promise<number | string | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    return this.child.exitCode ?? this.child.signalCode;
  }
}
