import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';

const SCRIPTS = join(import.meta.dirname, '../conformance');
/** The folder whose `node_modules` holds the suite. */
const WORKSPACE = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
  '../../../..',
);

export interface ScriptRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs one of the scripts in `test/mcp/conformance`, with the workspace's own copy of the suite. */
export function runScript(script: string, args: readonly string[]): Promise<ScriptRun> {
  const program = script.endsWith('.mjs') ? process.execPath : 'bash';
  const env = { ...process.env, CONFORMANCE_HOME: WORKSPACE, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' };
  const child = spawn(program, [join(SCRIPTS, script), ...args], { env, cwd: WORKSPACE });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

/** The lines of a run that report something wrong. */
export function complaints({ output }: ScriptRun): readonly string[] {
  return output.split('\n').filter((line) => /^\s*(?:FAIL|warn)\b/.test(line));
}

/** A port nobody listens on, for servers that must know their address before they start. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
