import type { ToolErrorCode } from '../errors/error-table.js';
import type { JsonSchema } from '../kernel/json.js';
import type { Principal } from '../kernel/principal.js';
import type { SchemaInput, SchemaLike, SchemaOutput } from '../kernel/standard-schema.js';
import type { CapabilityPolicyRule } from './policy-rule.js';
import type { ClientFeature } from './client-channel.js';
import type { HandlerContext } from './handler-context.js';
import type { ObjectRef, PendingAction } from './object-ref.js';
import type { RegisteredPermission } from './register.js';
import type { SurfaceId } from './surface.js';

/** What a call does to the world. Declared, never inferred from a name. */
export type SideEffect = 'none' | 'read' | 'write' | 'destructive' | 'external';

/** How bad a wrong call is. Drives nothing by itself; policies and filters target it. */
export type Risk = 'low' | 'medium' | 'high' | 'critical';

/** Who decides on an approval. */
export type ApprovalBy = 'principal' | 'another' | 'host';

/** How strongly the decider must have authenticated. */
export type ApprovalStrength = 'none' | 'session' | 'webauthn';

export interface ApprovalOptions {
  /** `true`: every call needs a decision. `false`: switches off the surface's default, never a policy. */
  readonly required?: boolean;
  /** Default `'another'` for declared gates. */
  readonly by?: ApprovalBy;
  /** Default `'none'`. */
  readonly strength?: ApprovalStrength;
  /** Milliseconds in which a decision must fall. Default 900 000 (15 min). */
  readonly decideWithin?: number;
  /** Milliseconds after approval in which the call must start. Default 300 000 (5 min). */
  readonly executeWithin?: number;
  /** How many different humans must approve. Default 1. */
  readonly quorum?: number;
  /** Ids of the humans who may decide; unset leaves it to the policy's `canApprove`. */
  readonly approvers?: readonly string[];
  /** Permission asked of whoever decides, instead of `approvals:decide`. */
  readonly permission?: RegisteredPermission;
  /** Free label for filters. */
  readonly type?: string;
}

export interface RetryOptions {
  /** Additional attempts after the first. */
  readonly maxAttempts: number;
  /** First pause in milliseconds, doubling each time. Default 250. */
  readonly backoffMs?: number;
  /** Which errors to retry; default: errors marked retryable. */
  readonly retryOn?: (error: unknown) => boolean;
}

/** Bounds enforced by the application's `LimitsPort`. */
export interface LimitOptions {
  /** At most `max` calls per principal in `windowMs`. */
  readonly rate?: { readonly max: number; readonly windowMs: number };
  /** At most this many running calls. */
  readonly concurrency?: number;
  /** At most `max` as the sum of a numeric input field per principal in `windowMs`. */
  readonly budget?: { readonly field: string; readonly max: number; readonly windowMs: number };
}

export interface FailureOptions {
  /** Schema of the failure's fields; undeclared fields are dropped. */
  readonly schema: SchemaLike;
  /** Next step for the reader, the error's `hint`. */
  readonly fix: string;
  /** HTTP status. Default 422. */
  readonly status?: number;
  /** Default `'CONFLICT'`. */
  readonly code?: ToolErrorCode;
  /** Default false. */
  readonly retryable?: boolean;
}

/** What a redactor may know: a frozen view taken from the authenticated call. */
export interface RedactionView {
  readonly surface: SurfaceId;
  readonly capability: string;
  readonly principal: Principal;
  readonly context: unknown;
}

export interface RedactOptions<Input = unknown, Output = unknown> {
  /** Applied to the parsed output before anything leaves. Pure and total: a throw fails the call. */
  readonly output?: (output: Output, view: RedactionView) => unknown;
  /** Applied to the input shown to deciders; the approval binds the full input. */
  readonly approvalInput?: (input: Input, view: RedactionView) => unknown;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpHints {
  /** Default `POST`. GET and DELETE read the remaining fields from the query, the others from the body. */
  readonly method?: HttpMethod;
  /** Path below the application's root, `:param` segments naming input fields. Default `/{restPath}/{name}`. */
  readonly path?: string;
  /** `false` leaves the operation out of the OpenAPI document. Default true. */
  readonly document?: boolean;
  /** Example input shown in Swagger UI. */
  readonly example?: unknown;
  /** Nest API version of the route. */
  readonly version?: string;
}

export interface McpHints {
  /** Keeps `oneOf`/`anyOf`/`allOf` at the root of the advertised input schema. Default false. */
  readonly rootCombinators?: boolean;
  /** Advertised unaltered instead of the converted input schema, which stays enforced. Root `type: 'object'`. */
  readonly inputSchema?: JsonSchema;
  readonly icons?: readonly {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
  }[];
  /** `'content'`: the method returns content blocks (`McpContent`) instead of data. Default `'data'`. */
  readonly result?: 'data' | 'content';
  /** What the client must be able to answer; a call without it is refused before the method runs. */
  readonly requires?: readonly ClientFeature[];
  /** Whether a call may, or must, run as a task. Default: never. */
  readonly task?: 'optional' | 'required';
  /** `'before'`: questions are asked before the task starts, by the multi-round form. Default `'within'`. */
  readonly taskInput?: 'before' | 'within';
  /** Set by `@CapabilityResource()`: served as a resource, not as a tool. */
  readonly resource?: McpResourceHints;
  /** Set by `@CapabilityPrompt()`: served as a prompt, not as a tool. */
  readonly prompt?: true;
  /** Set by `@CapabilityCompletion()`: completes an argument, and is no tool. */
  readonly completion?: McpCompletionHints;
}

/** Where a resource is found. Exactly one of `uri` and `uriTemplate`. */
export interface McpResourceHints {
  readonly uri?: string;
  /** RFC 6570, level 1 and `{+name}`; its variables are the input. */
  readonly uriTemplate?: string;
  readonly mimeType?: string;
  /** Bytes, where it is known. */
  readonly size?: number;
  /** Clients may subscribe to changes that the application announces. Default false. */
  readonly subscribe?: boolean;
}

/** What a completion completes: one argument of one prompt (by its name) or resource template. */
export interface McpCompletionHints {
  readonly prompt?: string;
  readonly uriTemplate?: string;
  readonly argument: string;
}

export interface CliHints {
  /** Input fields taken as positional arguments, in order. */
  readonly positional?: readonly string[];
}

export interface Annotations {
  readonly readOnly: boolean;
  readonly destructive: boolean;
}

/** Options shared by hosts, capabilities and `forRoot({ defaults })`: method > host > defaults. */
export interface InheritableOptions {
  /** Surfaces that reach the capability. Deny by default; an empty list reaches nothing. */
  readonly expose?: readonly SurfaceId[];
  readonly risk?: Risk;
  /** Asked of the injected policy; `null` must be written out for none. */
  readonly permission?: RegisteredPermission | null;
  readonly tags?: readonly string[];
  readonly approval?: ApprovalOptions;
}

/** What `@CapabilityHost()` takes: the namespace of its capabilities and what they inherit. */
export interface CapabilityHostOptions extends InheritableOptions {
  /** Prefix of derived names: `namespace.method`. Without it every capability needs its own `name`. */
  readonly namespace?: string;
}

/** Everything a capability declares, except what it does to the world. */
export interface CapabilityFields<
  I extends SchemaLike | undefined = SchemaLike | undefined,
  O extends SchemaLike | undefined = SchemaLike | undefined,
  A extends readonly unknown[] = readonly unknown[],
> extends InheritableOptions {
  /** `seg(.seg)*`, 64 characters at most. Default `namespace.method`. */
  readonly name?: string;
  readonly title?: string;
  /** For the model and for Swagger UI. */
  readonly description: string;
  /** Default: the first parameter's DTO class; no parameter is a strict empty object. */
  readonly inputSchema?: I;
  readonly outputSchema?: O;
  readonly failures?: Readonly<Record<string, FailureOptions>>;
  /** Exactly what a call will do; pure. */
  readonly describe?: (input: ParsedInput<I>) => PendingAction;
  readonly reversible?: boolean;
  /** Input fields that grants may constrain and an active grant must contain. */
  readonly constraints?: readonly string[];
  /** Policies of this capability, after the global ones. */
  readonly policies?: readonly CapabilityPolicyRule[];
  /** A repeated call has no further effect. */
  readonly idempotent?: boolean;
  readonly retry?: RetryOptions;
  /** Deadline over the whole call in milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
  readonly limits?: LimitOptions;
  readonly redact?: RedactOptions<ParsedInput<I>, ParsedOutput<O>>;
  /** Objects the output stands on. */
  readonly cites?: (output: ParsedOutput<O>) => readonly ObjectRef[];
  /** Default `'refuse'`. */
  readonly unknownKeys?: 'refuse' | 'ignore';
  /** Maps the input to the method's parameters. */
  readonly args?: (input: ParsedInput<I>, ctx: HandlerContext) => A;
  /** `'contextual'` leaves it out of unbound tool lists; grants nothing. Default `'discoverable'`. */
  readonly discovery?: 'discoverable' | 'contextual';
  readonly deprecated?: boolean | string;
  readonly version?: string;
  readonly http?: HttpHints;
  readonly mcp?: McpHints;
  readonly assistant?: Readonly<Record<string, unknown>>;
  readonly cli?: CliHints;
}

/** Everything `@Capability()` takes. */
export interface CapabilityOptions<
  I extends SchemaLike | undefined = SchemaLike | undefined,
  O extends SchemaLike | undefined = SchemaLike | undefined,
  A extends readonly unknown[] = readonly unknown[],
> extends CapabilityFields<I, O, A> {
  /** One of `sideEffect` and `annotations` is required. */
  readonly sideEffect?: SideEffect;
  /** Short form: read-only is `read`, destructive is `destructive`, neither is `write`. */
  readonly annotations?: Annotations;
}

export type ParsedInput<I> = I extends SchemaLike ? SchemaOutput<I> : unknown;
export type ParsedOutput<O> = O extends SchemaLike ? SchemaOutput<O> : unknown;
export type ReturnedOutput<O> = O extends SchemaLike ? SchemaInput<O> : unknown;
