import type { Readable, Writable } from 'node:stream';
import { executionId } from '../../kernel/ids.js';
import { isRecord } from '../../kernel/json.js';
import type { Principal } from '../../kernel/principal.js';
import type { McpExchange } from '../../protocol/exchange.js';
import { errorMessage } from '../../protocol/json-rpc.js';
import type { LegacyPeer } from '../../protocol/legacy-peer.js';
import type { McpDispatcher } from '../../protocol/mcp-dispatcher.js';
import { RPC_INVALID_REQUEST } from '../../errors/rpc-codes.js';

export interface StdioOptions {
  /** The dispatcher of an endpoint: `app.get(McpSurfaceModule).endpoint`. */
  readonly endpoint: McpDispatcher;
  /** Who is at the other end. The application decides; nothing on the pipe can change it. */
  readonly principal: Principal;
  /** Default `process.stdin`. */
  readonly input?: Readable;
  /** Default `process.stdout`. Nothing else may write to it. */
  readonly output?: Writable;
  /** Longest line, bytes. Default 262 144 (256 KiB). */
  readonly lineLimit?: number;
}

const NEWLINE = 10;

/** Serves an endpoint over a pipe, one JSON-RPC message a line, in both eras. Resolves when the input ends. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { input = process.stdin, lineLimit = 262_144 } = options;
  const connection = new StdioConnection(options);
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    let rest = Buffer.from(chunk as Uint8Array);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      if (size + end <= lineLimit) connection.receive(Buffer.concat([...pending, rest.subarray(0, end)]));
      else connection.refuseLine();
      pending = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
    size += rest.length;
    if (size <= lineLimit) pending.push(rest);
    else pending = [];
  }
  await connection.close();
}

/** One peer on one pipe. */
class StdioConnection {
  private readonly gone = new AbortController();
  private readonly output: Writable;
  private readonly open = new Set<Promise<void>>();
  private peer: LegacyPeer = { sessionId: executionId(), clientCapabilities: {} };

  constructor(private readonly options: StdioOptions) {
    this.output = options.output ?? process.stdout;
  }

  receive(line: Buffer): void {
    if (line.toString('latin1').trim() === '') return;
    const work = this.answer(line).finally(() => this.open.delete(work));
    this.open.add(work);
  }

  refuseLine(): void {
    this.write(errorMessage(undefined, { code: RPC_INVALID_REQUEST, message: 'The line is too long' }));
  }

  /** What still runs is cancelled: nobody can read it. */
  async close(): Promise<void> {
    this.gone.abort();
    await Promise.all(this.open);
  }

  private async answer(line: Buffer): Promise<void> {
    this.remember(line);
    const reply = await this.options.endpoint.handle(line, this.exchange());
    if (reply.kind === 'message') this.write(reply.body);
  }

  /** `initialize` describes the peer of this connection. */
  private remember(line: Buffer): void {
    let message: unknown;
    try {
      message = JSON.parse(line.toString('utf8'));
    } catch {
      return;
    }
    if (!isRecord(message) || message['method'] !== 'initialize' || !isRecord(message['params'])) return;
    const { capabilities } = message['params'];
    this.peer = { ...this.peer, clientCapabilities: isRecord(capabilities) ? capabilities : {} };
  }

  private exchange(): McpExchange {
    return {
      headers: undefined,
      principal: this.options.principal,
      signal: this.gone.signal,
      peer: this.peer,
      openStream: () => ({ send: (message) => this.write(message), end: () => undefined }),
    };
  }

  private write(message: string): void {
    if (this.output.writable) this.output.write(`${message}\n`);
  }
}
