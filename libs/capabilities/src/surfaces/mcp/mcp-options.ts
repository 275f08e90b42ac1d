import type { InjectionToken } from '@nestjs/common';
import { MCP_DEFAULTS } from '../../protocol/mcp-defaults.js';
import type { SingleUseStore } from '../../execution/single-use-store.js';
import type { TaskStore } from '../../execution/task-store.js';
import type { ServerInfo } from '../../protocol/era-results.js';

/** Which capabilities an endpoint serves: those that match every given list. */
export interface McpSlice {
  /** At least one of these tags. */
  readonly tags?: readonly string[];
  /** Exactly these capabilities. */
  readonly names?: readonly string[];
}

/** The endpoint as an OAuth 2.0 protected resource (RFC 9728). */
export interface McpAuthorizationOptions {
  /** Canonical URL of the endpoint, as clients and the authorization server know it. */
  readonly resource: string;
  /** Issuers of accepted tokens; at least one. */
  readonly authorizationServers: readonly string[];
  /** The scopes a client needs to begin. Default none. */
  readonly scopesSupported?: readonly string[];
}

/** Options of `McpSurfaceModule.forRoot`. */
export interface McpSurfaceOptions {
  /** Path of the endpoint below the global prefix. Default `'/mcp'`. */
  readonly path?: string;
  /** Name of the server. Default `'nest-capabilities'`. */
  readonly name?: string;
  readonly title?: string;
  readonly version: string;
  /** How a model should use the server. */
  readonly instructions?: string;
  /** Default: everything exposed on `mcp`. */
  readonly expose?: McpSlice;
  /** Advertises output schemas: clients check results, and lists grow. Default false. */
  readonly outputSchema?: boolean;
  /** Items on one page of a list. Default: all. */
  readonly pageSize?: number;
  /** How long clients may keep lists and resources, milliseconds. Default 0. */
  readonly cacheTtlMs?: number;
  /** Largest request body, bytes. Default 262 144 (256 KiB). */
  readonly bodyLimit?: number;
  /** Origins of browser clients, such as `https://app.example.com`, beside loopback ones and the resource's own. */
  readonly allowedOrigins?: readonly string[];
  /** Host names under which the server is reached. Default: any; on a loopback address only loopback names and the resource's own. */
  readonly allowedHosts?: readonly string[];
  /** Lets callers without a token in, as anonymous principals. Default false. */
  readonly anonymous?: boolean;
  readonly authorization?: McpAuthorizationOptions;
  /** Signs session ids and request states; 32 bytes at least, the same on every instance. Default: random for each process. */
  readonly secret?: string;
  /** Milliseconds for a person to answer a question. Default 600 000 (10 min). */
  readonly inputTtlMs?: number;
  /** Milliseconds for a client of earlier revisions to answer on an open call. Default 60 000. */
  readonly answerTimeoutMs?: number;
  /** Milliseconds for which a task can be read. Default 3 600 000 (1 h). */
  readonly taskTtlMs?: number;
  /** Where tasks are kept: a store, or the token of a provider. Default: in this process. */
  readonly taskStore?: TaskStore | InjectionToken<TaskStore>;
  /** Where used request states are remembered: a store, or the token of a provider. Default: in this process. */
  readonly singleUseStore?: SingleUseStore | InjectionToken<SingleUseStore>;
  /**
   * Lets callers confirm their own calls by a form in their client, where the gate leaves the decision to them.
   * Only for clients that show forms to a person and not to a model. Default false.
   */
  readonly approvalForms?: boolean;
  /** Most open `subscriptions/listen` streams. Default 1 024. */
  readonly maxStreams?: number;
}

/** Options with every default applied. */
export interface ResolvedMcpOptions {
  /** Without slashes around it. */
  readonly path: string;
  readonly info: ServerInfo;
  readonly instructions: string | undefined;
  readonly expose: McpSlice;
  readonly outputSchema: boolean;
  readonly pageSize: number;
  readonly cacheTtlMs: number;
  readonly bodyLimit: number;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[] | undefined;
  readonly anonymous: boolean;
  readonly authorization: McpAuthorizationOptions | undefined;
  readonly secret: string | undefined;
  readonly inputTtlMs: number;
  readonly answerTimeoutMs: number;
  readonly taskTtlMs: number;
  readonly taskStore: TaskStore | InjectionToken<TaskStore> | undefined;
  readonly singleUseStore: SingleUseStore | InjectionToken<SingleUseStore> | undefined;
  readonly approvalForms: boolean;
  readonly maxStreams: number;
}

const BODY_LIMIT = 262_144;

export const MCP_OPTIONS = Symbol.for('nest-capabilities.mcp.Options');

/** Applies the defaults; what is wrong is told by {@link mcpOptionProblems}. */
export function resolveMcpOptions(options: McpSurfaceOptions): ResolvedMcpOptions {
  const { path = MCP_DEFAULTS.path, name = MCP_DEFAULTS.name, title, version } = options;
  return {
    path: path.replaceAll(/^\/+|\/+$/g, ''),
    info: { name, version, ...(title === undefined ? {} : { title }) },
    instructions: options.instructions,
    expose: options.expose ?? {},
    outputSchema: options.outputSchema ?? MCP_DEFAULTS.outputSchema,
    pageSize: options.pageSize ?? MCP_DEFAULTS.pageSize,
    cacheTtlMs: options.cacheTtlMs ?? MCP_DEFAULTS.ttlMs,
    bodyLimit: options.bodyLimit ?? BODY_LIMIT,
    allowedOrigins: options.allowedOrigins ?? [],
    allowedHosts: options.allowedHosts,
    anonymous: options.anonymous ?? false,
    authorization: options.authorization,
    secret: options.secret,
    inputTtlMs: options.inputTtlMs ?? MCP_DEFAULTS.stateTtlMs,
    answerTimeoutMs: options.answerTimeoutMs ?? MCP_DEFAULTS.answerTimeoutMs,
    taskTtlMs: options.taskTtlMs ?? MCP_DEFAULTS.taskTtlMs,
    taskStore: options.taskStore,
    singleUseStore: options.singleUseStore,
    approvalForms: options.approvalForms ?? MCP_DEFAULTS.approvalForms,
    maxStreams: options.maxStreams ?? MCP_DEFAULTS.maxStreams,
  };
}
