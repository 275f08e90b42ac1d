import { type Clock, SystemClock } from '../kernel/clock.js';
import { isRecord } from '../kernel/json.js';
import type { Principal } from '../kernel/principal.js';
import type { CapabilityRunner } from '../execution/capability-runner.js';
import type { ServerInfo } from './era-results.js';
import { errorMessage } from './json-rpc.js';
import { MCP_DEFAULTS } from './mcp-defaults.js';
import { McpDispatcher } from './mcp-dispatcher.js';
import { readableId } from './read-message.js';
import { methodNotFound } from './rpc-error.js';
import { MemorySingleUseStore } from './memory-single-use-store.js';
import { MemoryTaskStore } from './tasks/memory-task-store.js';

/** One message without a transport. */
export interface RpcHandlerCall {
  readonly principal: Principal;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Receives progress and log messages. Without it they are dropped, and `subscriptions/listen` is not served. */
  readonly onNotification?: (message: unknown) => void;
}

/** Answers one parsed message; null for a notification. Never rejects: a malformed message is answered −32600. */
export type RpcHandler = (message: unknown, call: RpcHandlerCall) => Promise<unknown>;

const NEVER = new AbortController().signal;

/** The dispatcher's face without HTTP, for applications that bring their own transport. */
export function createRpcHandler(options: {
  readonly runner: CapabilityRunner;
  readonly info: ServerInfo;
  readonly instructions?: string;
  readonly clock?: Clock;
  /** Told about every fault that the caller only sees masked. */
  readonly onFault: (error: unknown) => void;
}): RpcHandler {
  const { runner, info, instructions, clock = new SystemClock(), onFault } = options;
  const dispatcher = new McpDispatcher(
    {
      ...MCP_DEFAULTS,
      info,
      instructions,
      endpoint: info.name,
      serves: () => true,
      secret: undefined,
      publicUrl: undefined,
    },
    {
      runner,
      clock,
      tasks: new MemoryTaskStore(clock),
      singleUse: new MemorySingleUseStore(clock),
      challenge: () => undefined,
      onFault,
    },
  );
  return (message, call) => answer(dispatcher, message, call);
}

async function answer(dispatcher: McpDispatcher, message: unknown, call: RpcHandlerCall): Promise<unknown> {
  const { principal, signal = NEVER, onNotification } = call;
  if (onNotification === undefined && isRecord(message) && message['method'] === 'subscriptions/listen') {
    return JSON.parse(errorMessage(readableId(message), methodNotFound())) as unknown;
  }
  let final: unknown = null;
  const send = (text: string): void => {
    const sent = JSON.parse(text) as unknown;
    if (isRecord(sent) && sent['method'] !== undefined) onNotification?.(sent);
    else final = sent;
  };
  const reply = await dispatcher.dispatch(message, {
    headers: undefined,
    principal,
    signal,
    openStream: () => ({ send, end: () => undefined }),
  });
  return reply.kind === 'message' ? (JSON.parse(reply.body) as unknown) : final;
}
