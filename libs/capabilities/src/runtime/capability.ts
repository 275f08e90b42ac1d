import type {
  Annotations,
  CapabilityOptions,
  ParsedInput,
  ReturnedOutput,
} from '../contract/capability-options.js';
import type { HandlerContext } from '../contract/handler-context.js';
import type { ToolError } from '../errors/tool-error.js';
import type { SchemaLike } from '../kernel/standard-schema.js';

/** A common shape of an application's user; any other type may be bound instead. */
export interface CapabilityUser {
  /** Role keys. */
  readonly appRoles: readonly string[];
  /** Effective permissions. */
  readonly permissions: readonly string[];
}

/** Both must be written out: nothing is inferred from a name. */
export type CapabilityAnnotations = Annotations;

/** What `run` receives beside its input. */
export type CapabilityContext<User = CapabilityUser> = HandlerContext<User>;

/** What a capability may declare beyond the fields that every one has. */
type FurtherOptions<I extends SchemaLike, O extends SchemaLike> = Pick<
  CapabilityOptions<I, O>,
  | 'title'
  | 'tags'
  | 'risk'
  | 'failures'
  | 'describe'
  | 'reversible'
  | 'policies'
  | 'idempotent'
  | 'retry'
  | 'timeoutMs'
  | 'redact'
  | 'cites'
  | 'unknownKeys'
  | 'discovery'
  | 'deprecated'
  | 'version'
  | 'mcp'
>;

/** A capability as its author writes it: `run` is typed by the two schemas. */
export interface CapabilityDefinition<
  I extends SchemaLike,
  O extends SchemaLike,
  User = CapabilityUser,
  Permission extends string = string,
> extends FurtherOptions<I, O> {
  /** `seg(.seg)*` of `[A-Za-z0-9_-]`, 64 characters at most. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly inputSchema: I;
  /** Enforced on every result; never advertised in list entries. */
  readonly outputSchema: O;
  readonly annotations: CapabilityAnnotations;
  /** Asked of the policy. Default none: any authenticated caller. */
  readonly requiredPermission?: Permission;
  run(
    input: ParsedInput<I>,
    context: CapabilityContext<User>,
  ): ReturnedOutput<O> | ToolError | Promise<ReturnedOutput<O> | ToolError>;
}

/** A capability with its types erased, so that different ones fit into one list. */
export interface Capability<User = CapabilityUser, Permission extends string = string> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: SchemaLike;
  readonly outputSchema: SchemaLike;
  readonly annotations: CapabilityAnnotations;
  readonly requiredPermission?: Permission;
  run(input: unknown, context: CapabilityContext<User>): unknown;
}

/** Any capability, whatever its user and permission types. */
export type AnyCapability = Capability<unknown, string>;
