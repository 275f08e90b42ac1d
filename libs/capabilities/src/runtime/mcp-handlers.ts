import { describeFault } from '../errors/describe-fault.js';
import { CapabilityRunner } from '../execution/capability-runner.js';
import type { FaultLogger } from '../execution/fault-logger.js';
import { executionId } from '../kernel/ids.js';
import { completePrincipal } from '../kernel/principal.js';
import { errorMessage, type JsonRpcRequest, type JsonRpcResponse } from '../protocol/json-rpc.js';
import { MemorySingleUseStore } from '../protocol/memory-single-use-store.js';
import { readableId, readMessage } from '../protocol/read-message.js';
import { createRpcHandler, type RpcHandler, type RpcHandlerState } from '../protocol/rpc-handler.js';
import { RpcError } from '../protocol/rpc-error.js';
import { checkSecret } from '../protocol/signer.js';
import { MemoryTaskStore } from '../protocol/tasks/memory-task-store.js';
import type { AnyCapability, CapabilityUser } from './capability.js';
import type { CapabilityPolicy } from './capability-policy.js';
import { ConsoleFaultLogger } from './console-fault-logger.js';
import { createCapabilityRegistry } from './create-capability-registry.js';
import { RPC_FORBIDDEN } from './rpc-code.js';
import { runtimePorts } from './runtime-ports.js';
import { principalOf } from './runtime-principal.js';

/** How the application names itself to clients. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
}

/**
 * What serving MCP needs. The secret and the stores let several instances serve the handles of one another;
 * stores must be open.
 */
export interface McpHandlerOptions<
  User = CapabilityUser,
  Permission extends string = string,
> extends RpcHandlerState {
  readonly policy: CapabilityPolicy<User, Permission>;
  readonly serverInfo: McpServerInfo;
  /** Where masked faults are logged. Default standard error. */
  readonly logger?: FaultLogger;
}

/** What a transport may know about one message. */
export interface McpCallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Receives progress and log messages. Without it they are dropped, and `subscriptions/listen` is not served. */
  readonly onNotification?: (message: JsonRpcRequest) => void;
}

interface Compiled {
  /** The list as it was compiled. */
  readonly capabilities: readonly AnyCapability[];
  readonly handler: RpcHandler;
}

/** MCP handlers under one policy, one for each list of capabilities, with the handles that they share. */
export class McpHandlers {
  private readonly compiled = new WeakMap<readonly AnyCapability[], Compiled>();
  private readonly state: RpcHandlerState;
  private readonly logger: FaultLogger;

  /** Throws `TypeError` for a secret of fewer than 32 bytes. */
  constructor(private readonly options: McpHandlerOptions<unknown, string>) {
    const { secret = executionId() + executionId(), taskStore, singleUseStore } = options;
    checkSecret(secret);
    this.state = {
      secret,
      taskStore: taskStore ?? new MemoryTaskStore(),
      singleUseStore: singleUseStore ?? new MemorySingleUseStore(),
    };
    this.logger = options.logger ?? new ConsoleFaultLogger();
  }

  /** See `handleMcpRpc`. */
  async handle(
    message: unknown,
    user: unknown,
    capabilities: readonly AnyCapability[],
    call: McpCallOptions = {},
  ): Promise<JsonRpcResponse | null> {
    const handler = this.handlerOf(capabilities);
    const input = principalOf(user);
    const principal = input === null ? undefined : completePrincipal(input);
    return principal === undefined ? refuseStranger(message) : handler(message, { ...call, principal });
  }

  /** Compiled once for a list, and again when the list was changed. */
  private handlerOf(capabilities: readonly AnyCapability[]): RpcHandler {
    const known = this.compiled.get(capabilities);
    if (known !== undefined && sameItems(known.capabilities, capabilities)) return known.handler;
    const registry = createCapabilityRegistry(capabilities);
    const { policy, serverInfo } = this.options;
    const find = (name: string): AnyCapability => registry.get(name)!;
    const handler = createRpcHandler({
      runner: new CapabilityRunner(registry.compiled, runtimePorts(find, policy, this.logger)),
      info: serverInfo,
      state: this.state,
      onFault: (error) => this.report(error),
    });
    this.compiled.set(capabilities, { capabilities: [...capabilities], handler });
    return handler;
  }

  private report(error: unknown): void {
    const { name: capability } = this.options.serverInfo;
    const detail = { referenceId: executionId(), capability, error: describeFault(error) };
    this.logger.error('An MCP message failed', detail);
  }
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

/** A message without a caller: what is wrong with it, or that it needs one. */
function refuseStranger(message: unknown): JsonRpcResponse | null {
  let error = new RpcError(RPC_FORBIDDEN, 'Authentication is required.');
  try {
    const read = readMessage(message);
    if (read.kind === 'call' && read.call.id === undefined) return null;
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown;
    error = thrown;
  }
  return JSON.parse(errorMessage(readableId(message), error)) as JsonRpcResponse;
}
