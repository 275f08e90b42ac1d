import type {
  ApprovalBy,
  ApprovalStrength,
  CapabilityOptions,
  CliHints,
  HttpHints,
  LimitOptions,
  McpHints,
  RedactOptions,
  RetryOptions,
} from '../contract/capability-options.js';
import type { CapabilityView } from '../contract/capability-view.js';
import type { HandlerContext } from '../contract/handler-context.js';
import type { ObjectRef, PendingAction } from '../contract/object-ref.js';
import type { CapabilityPolicyRule } from '../contract/policy-rule.js';
import type { SurfaceId } from '../contract/surface.js';
import type { ToolErrorCode } from '../errors/error-table.js';
import type { CompiledInput, CompiledOutput, CompiledSchema } from '../kernel/compiled-schema.js';
import type { Principal } from '../kernel/principal.js';

/** Approval options with every default applied. `required` stays undefined when nothing was declared. */
export interface ResolvedApproval {
  readonly required: boolean | undefined;
  readonly by: ApprovalBy | undefined;
  readonly strength: ApprovalStrength;
  readonly decideWithin: number;
  readonly executeWithin: number;
  readonly quorum: number;
  readonly approvers: readonly string[] | undefined;
  readonly permission: string | undefined;
  readonly type: string | undefined;
}

export interface CompiledFailure {
  readonly tag: string;
  readonly schema: CompiledSchema;
  readonly fix: string;
  readonly status: number;
  readonly code: ToolErrorCode;
  readonly retryable: boolean;
}

/** Where a capability was declared. */
export interface CapabilitySource {
  readonly className: string;
  readonly methodName: string;
  /** Name of the Nest module that provides the host; undefined without Nest. */
  readonly moduleName: string | undefined;
}

/** What the enhancers and the handler of one call may know. */
export interface HandlerCall {
  readonly executionId: string;
  readonly surface: SurfaceId;
  readonly principal: Principal;
  readonly definition: CapabilityDefinition;
  /** The transport's real request, or undefined. */
  readonly request: unknown;
  /** True when the router has already run the application's global guards for this method. */
  readonly onRoute: boolean;
  readonly signal: AbortSignal;
}

/** How a capability reaches its method; made by the explorer (Nest) or by `./runtime`. */
export interface CapabilityHandler {
  /** The application's guards of stage 4; undefined when there are none. Rejects to refuse. */
  readonly guard: ((call: HandlerCall) => void | Promise<void>) | undefined;
  /** Calls the method through the host's interceptors. */
  invoke(input: unknown, context: HandlerContext, call: HandlerCall): unknown;
}

/** A checked, compiled, frozen capability. */
export interface CapabilityDefinition extends CapabilityView {
  readonly title: string;
  readonly annotations: { readonly readOnly: boolean; readonly destructive: boolean };
  readonly input: CompiledInput;
  /** Undefined: the value passes as JSON, unstripped. */
  readonly output: CompiledOutput | undefined;
  readonly failures: ReadonlyMap<string, CompiledFailure>;
  readonly approval: ResolvedApproval;
  readonly describe: ((input: unknown) => PendingAction) | undefined;
  readonly reversible: boolean | undefined;
  readonly constraints: readonly string[];
  readonly policies: readonly CapabilityPolicyRule[];
  readonly idempotent: boolean;
  readonly retry: (Required<Omit<RetryOptions, 'retryOn'>> & Pick<RetryOptions, 'retryOn'>) | undefined;
  readonly timeoutMs: number;
  readonly limits: LimitOptions | undefined;
  readonly redact: RedactOptions;
  readonly cites: ((output: unknown) => readonly ObjectRef[]) | undefined;
  readonly unknownKeys: 'refuse' | 'ignore';
  readonly http: HttpHints;
  readonly mcp: McpHints;
  readonly cli: CliHints;
  readonly assistant: Readonly<Record<string, unknown>>;
  readonly source: CapabilitySource;
  readonly handler: CapabilityHandler;
  /** SHA-256 over the contract (schemas, side effect, risk, permission, approval): changes when the contract does. */
  readonly fingerprint: string;
  /** The options as declared, for surfaces that read their own hints. */
  readonly options: CapabilityOptions;
}

/** True when the call cannot change anything. */
export function isReadOnly(definition: Pick<CapabilityDefinition, 'sideEffect'>): boolean {
  return definition.sideEffect === 'none' || definition.sideEffect === 'read';
}
