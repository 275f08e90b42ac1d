import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportedSpan } from '../fixture/span-file.js';
import { listBytes, type McpAnswer, type McpOptions, mcpRequest } from './mcp-wire.js';
import type { BatterySession } from './session.js';

/** The call that asks, and what its person says. */
const ASKING: McpOptions = {
  name: 'note.ask',
  args: { text: 'asked' },
  capabilities: { elicitation: {} },
};
const YES = { action: 'accept', content: { keep: true } };

/** The verbs of the MCP endpoint, and of what it leaves behind. */
export type McpVerbs = Pick<McpDriver, 'mcpRaw' | 'mcpAsk' | 'mcpResume' | 'listTwiceEqual' | 'spans'>;

export function mcpVerbs(session: BatterySession, noted: Noted): McpVerbs {
  const { mcpRaw, mcpAsk, mcpResume, listTwiceEqual, spans } = new McpDriver(session, noted);
  return { mcpRaw, mcpAsk, mcpResume, listTwiceEqual, spans };
}

/** Told what every request was answered. */
type Noted = (call: string, answer: McpAnswer) => McpAnswer;

class McpDriver {
  /** Which keys a state asks for. */
  private readonly keys = new Map<string, readonly string[]>();

  constructor(
    private readonly session: BatterySession,
    private readonly noted: Noted,
  ) {}

  /** One raw request as `who`; null sends no token. */
  readonly mcpRaw = async (who: string | null, options: McpOptions = {}): Promise<McpAnswer> => {
    const { method = 'tools/call', name = method === 'tools/call' ? 'orders.get' : '' } = options;
    const token = who === null ? undefined : this.token(who);
    const answer = await mcpRequest(this.session.next().url, token, options);
    return this.noted(`mcp ${method} ${name} as ${who}`, answer);
  };

  /** Calls a tool that asks its client: the answer's `state` goes to `mcpResume`. */
  readonly mcpAsk = async (who: string, options: McpOptions = {}): Promise<McpAnswer> => {
    const answer = await this.mcpRaw(who, { ...ASKING, ...options });
    if (answer.state !== undefined) this.keys.set(answer.state, answer.asks);
    return answer;
  };

  /** Retries the call with its state and a yes to everything it asked; `change` overrides any part of it. */
  readonly mcpResume = (
    who: string,
    asked: string | McpAnswer,
    change: McpOptions = {},
  ): Promise<McpAnswer> => {
    const state = typeof asked === 'string' ? asked : asked.state;
    const keys = this.keys.get(state ?? '') ?? [];
    const inputResponses = Object.fromEntries(keys.map((key) => [key, YES]));
    const params = { requestState: state, inputResponses, ...change.params };
    return this.mcpRaw(who, { ...ASKING, ...change, params });
  };

  /** Lists the tools over two connections: the same bytes, ordered by name? */
  readonly listTwiceEqual = async (who: string): Promise<boolean> => {
    const { url } = this.session.next();
    const [first, second] = [
      await listBytes(url, this.token(who)),
      await listBytes(this.session.next().url, this.token(who)),
    ];
    const { result } = JSON.parse(first) as { result: { tools: { name: string }[] } };
    const names = result.tools.map(({ name }) => name);
    return first === second && names.join() === names.toSorted().join();
  };

  /** Every exported span, oldest first. */
  readonly spans = async (): Promise<ExportedSpan[]> => {
    // Whoever asks for spans wants those of calls that were answered: their processes have written them.
    await Promise.all(this.session.instances.map((instance) => instance.ask('audit')));
    const text = readFileSync(join(this.session.config.folder, 'spans.json'), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ExportedSpan);
  };

  private token(who: string): string {
    const token = this.session.tokens[who];
    if (token === undefined) throw new TypeError(`There is no token for ${who}.`);
    return token;
  }
}
