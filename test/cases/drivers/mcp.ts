import type { CaseApp } from '../case-app.js';
import {
  type Answer,
  type CallingSurface,
  type CaseDriver,
  type ListingSurface,
  type Word,
} from '../driver.js';
import type { Caller } from '../fixtures.js';
import {
  firstClient,
  HttpRefusal,
  type McpSession,
  type OpenSession,
  secondClient,
  type ToolResult,
} from './mcp-session.js';
import { REST } from './rest.js';

const ADAPTERS = ['express', 'fastify'] as const;
const RESUME = 'approvals_execute';

/** The endpoint by official clients: the stateless era, and `initialize` with a client of today and of yesterday. */
export const MCP: readonly CaseDriver[] = [
  mcpDriver('mcp 2026-07-28', 'modern', secondClient({ pin: '2026-07-28' })),
  mcpDriver('mcp 2025-11-25', 'legacy', secondClient('legacy')),
  mcpDriver('mcp by a client of version 1', 'legacy', firstClient),
];

type Era = 'modern' | 'legacy';

function mcpDriver(name: string, era: Era, open: OpenSession): CaseDriver {
  const calls = (on: CaseApp): CallingSurface => {
    const sessions = new Sessions(on, open);
    const call = (as: Caller, tool: string, args: unknown): Promise<Answer> =>
      answered(era, async () => (await sessions.of(as)).call(tool.replaceAll('.', '_'), args));
    const { pending, decide } = REST.calls!(on).approvals;
    const approvals = {
      pending,
      decide,
      resume: (as: Caller, approvalId: string) => call(as, RESUME, { approvalId }),
    };
    return { id: 'mcp', name, on, call, approvals };
  };
  const lists = (on: CaseApp): ListingSurface => {
    const sessions = new Sessions(on, open);
    const list = async (as: Caller) =>
      (await (await sessions.of(as)).tools()).filter((tool) => tool.name !== RESUME);
    return { name, on, list };
  };
  return { name, adapters: ADAPTERS, calls, lists };
}

/** One client for each caller. Each has listed the tools before its first call, as hosts do. */
class Sessions {
  private readonly open = new Map<string | undefined, Promise<McpSession>>();

  constructor(
    private readonly on: CaseApp,
    private readonly connect: OpenSession,
  ) {}

  of(caller: Caller): Promise<McpSession> {
    const known = this.open.get(caller?.id);
    if (known !== undefined) return known;
    const opened = this.connect(`${this.on.url}/mcp`, caller?.id).then(async (session) => {
      await session.tools();
      return session;
    });
    this.open.set(caller?.id, opened);
    return opened;
  }
}

async function answered(era: Era, call: () => Promise<ToolResult>): Promise<Answer> {
  try {
    return resultAnswer(era, await call());
  } catch (error) {
    const { code, message, cause } = error as Error & { code?: unknown };
    const refusal = [error, cause].find((candidate) => candidate instanceof HttpRefusal);
    if (refusal !== undefined) return refusalAnswer(refusal);
    if (code !== -32602) throw error;
    return { word: /Unknown tool/.test(message) ? 'UNKNOWN' : 'BAD_INPUT', message, text: message };
  }
}

function resultAnswer(era: Era, result: ToolResult): Answer {
  const text = JSON.stringify(result);
  const envelope = result._meta?.['nest-capabilities/error'];
  const waiting = pendingOf(result);
  if (waiting !== undefined) return { word: 'NEEDS_APPROVAL', approvalId: waiting, text };
  if (result.isError !== true) return { word: 'OK', output: outputOf(era, result), text };
  if (envelope === undefined) throw new Error(`An error without an envelope: ${text}`);
  const { reason, field, message, approvalId } = envelope;
  expect(textOf(result)).toContain(message);
  return {
    word: WORDS[envelope.reason] ?? WORDS[envelope.code] ?? 'REFUSED',
    reason,
    message,
    ...(field === undefined ? {} : { field }),
    ...(approvalId === undefined ? {} : { approvalId }),
    text,
  };
}

/** By fine reason first, then by code. */
const WORDS: Readonly<Record<string, Word>> = {
  HTTP_EXCEPTION: 'REFUSED',
  APPROVAL_REQUIRED: 'NEEDS_APPROVAL',
  VALIDATION: 'BAD_INPUT',
  UNAUTHENTICATED: 'DENIED',
  FORBIDDEN: 'DENIED',
  APPROVAL_DENIED: 'DENIED',
  UPSTREAM: 'FAULT',
};

function pendingOf({ structuredContent, _meta }: ToolResult): string | undefined {
  const data = (structuredContent ?? _meta?.['nest-capabilities/approval'] ?? {}) as {
    readonly status?: unknown;
    readonly approvalId?: string;
  };
  return data.status === 'approval_required' ? data.approvalId : undefined;
}

/** The structured value; the text must say the same. Earlier revisions carry objects alone. */
function outputOf(era: Era, result: ToolResult): unknown {
  const { structuredContent: data } = result;
  const wrapped = era === 'legacy' && data !== undefined && Object.keys(data as object).join() === 'result';
  const output = wrapped ? (data as { result: unknown }).result : data;
  const said = output === undefined ? '' : typeof output === 'string' ? output : JSON.stringify(output);
  expect(textOf(result)).toBe(said);
  return output;
}

/** Every text block must be a text. */
function textOf({ content }: ToolResult): string {
  return content
    .flatMap(({ type, text }) => {
      if (type !== 'text') return [];
      expect(text).toEqual(expect.any(String));
      return [text as string];
    })
    .join('\n');
}

function refusalAnswer({ status, body }: HttpRefusal): Answer {
  const reason = ({ 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' } as const)[status];
  if (reason === undefined) throw new Error(`HTTP ${status}: ${body}`);
  return { word: 'DENIED', reason, text: body };
}
