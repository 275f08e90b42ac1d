import type { CapabilityRunner } from '../execution/capability-runner.js';
import type { SingleUseStore } from '../execution/single-use-store.js';
import type { TaskStore } from '../execution/task-store.js';
import { type Clock, SystemClock } from '../kernel/clock.js';
import { isRecord } from '../kernel/json.js';
import type { Principal } from '../kernel/principal.js';
import type { ServerInfo } from './era-results.js';
import { errorMessage, type JsonRpcRequest, type JsonRpcResponse } from './json-rpc.js';
import { MCP_DEFAULTS } from './mcp-defaults.js';
import { McpDispatcher } from './mcp-dispatcher.js';
import { MemorySingleUseStore } from './memory-single-use-store.js';
import { readableId } from './read-message.js';
import { methodNotFound } from './rpc-error.js';
import { MemoryTaskStore } from './tasks/memory-task-store.js';

/** One message without a transport. */
export interface RpcHandlerCall {
  readonly principal: Principal;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Receives progress and log messages. Without it they are dropped, and `subscriptions/listen` is not served. */
  readonly onNotification?: (message: JsonRpcRequest) => void;
}

/** Answers one parsed message; null for a notification. Never rejects: a malformed message is answered −32600. */
export type RpcHandler = (message: unknown, call: RpcHandlerCall) => Promise<JsonRpcResponse | null>;

/** What several handlers or instances share, so that handles outlive one of them. */
export interface RpcHandlerState {
  /** Signs handles; 32 bytes at least. Default: random for each handler. */
  readonly secret?: string;
  /** Default: in this handler. */
  readonly taskStore?: TaskStore;
  /** Default: in this handler. */
  readonly singleUseStore?: SingleUseStore;
}

const NEVER = new AbortController().signal;

/**
 * The dispatcher's face without HTTP, for applications that bring their own transport. Throws `TypeError` for an
 * MCP declaration that cannot be served, and for a short secret. The stores must be open.
 */
export function createRpcHandler(options: {
  readonly runner: CapabilityRunner;
  readonly info: ServerInfo;
  readonly instructions?: string;
  readonly clock?: Clock;
  readonly state?: RpcHandlerState;
  /** Told about every fault that the caller only sees masked. */
  readonly onFault: (error: unknown) => void;
}): RpcHandler {
  const { runner, info, instructions, clock = new SystemClock(), state = {}, onFault } = options;
  const dispatcher = new McpDispatcher(
    {
      ...MCP_DEFAULTS,
      info,
      instructions,
      endpoint: info.name,
      serves: () => true,
      secret: state.secret,
      publicUrl: undefined,
    },
    {
      runner,
      clock,
      tasks: state.taskStore ?? new MemoryTaskStore(clock),
      singleUse: state.singleUseStore ?? new MemorySingleUseStore(clock),
      challenge: () => undefined,
      onFault,
    },
  );
  return (message, call) => answer(dispatcher, message, call);
}

async function answer(
  dispatcher: McpDispatcher,
  message: unknown,
  call: RpcHandlerCall,
): Promise<JsonRpcResponse | null> {
  const { principal, signal = NEVER, onNotification } = call;
  if (onNotification === undefined && isRecord(message) && message['method'] === 'subscriptions/listen') {
    return JSON.parse(errorMessage(readableId(message), methodNotFound())) as JsonRpcResponse;
  }
  let final: JsonRpcResponse | null = null;
  const send = (text: string): void => {
    const sent = JSON.parse(text) as JsonRpcRequest | JsonRpcResponse;
    if ('method' in sent) onNotification?.(sent);
    else final = sent;
  };
  const reply = await dispatcher.dispatch(message, {
    headers: undefined,
    principal,
    signal,
    openStream: () => ({ send, end: () => undefined }),
  });
  return reply.kind === 'message' ? (JSON.parse(reply.body) as JsonRpcResponse) : final;
}
