// Declaring capabilities
export { Capability } from './registry/capability.decorator.js';
export { CapabilityHost } from './registry/capability-host.decorator.js';
export type {
  Annotations,
  ApprovalBy,
  ApprovalOptions,
  ApprovalStrength,
  CapabilityFields,
  CapabilityHostOptions,
  CapabilityOptions,
  CliHints,
  FailureOptions,
  HttpHints,
  HttpMethod,
  InheritableOptions,
  LimitOptions,
  McpHints,
  RedactionView,
  RedactOptions,
  RetryOptions,
  Risk,
  SideEffect,
} from './contract/capability-options.js';
export { CapabilityFailure } from './contract/capability-failure.js';
export { isObjectRef, type ObjectRef, type PendingAction } from './contract/object-ref.js';
export { SURFACES, type SurfaceId } from './contract/surface.js';
export type { HandlerContext, LogLevel } from './contract/handler-context.js';
export type { DtoClass, SchemaLike, StandardSchema } from './kernel/standard-schema.js';
// A star export, so that `declare module 'nest-capabilities' { interface Register … }` reaches the interface.
export * from './contract/register.js';

// Wiring
export { CapabilitiesModule } from './module/capabilities.module.js';
export type {
  CapabilitiesModuleAsyncOptions,
  CapabilitiesModuleOptions,
  CapabilitiesPortOptions,
  CapabilitiesValueOptions,
  PortProvider,
} from './module/capabilities-options.js';
export { CAPABILITIES_OPTIONS, PIPELINE_PORTS } from './module/tokens.js';
export {
  CapabilityExecutionContext,
  type CapabilityContextType,
} from './registry/execution-context/capability-execution-context.js';

// Calling
export {
  CapabilityRunner,
  type CapabilityInput,
  type CapabilityOutput,
} from './execution/capability-runner.js';
export type { CallChannel, ExecuteOptions } from './execution/execution-request.js';
export type {
  CompletedOutcome,
  FailedOutcome,
  Outcome,
  SuspendedApproval,
  SuspendedOutcome,
} from './execution/outcome.js';

// The catalogue
export { CapabilityRegistry } from './registry/capability-registry.js';
export {
  CapabilityExplorer,
  type CatalogueCheck,
  type DiscoveredCapability,
} from './registry/capability-explorer.js';
export type { CapabilityDefinition, CapabilitySource } from './registry/capability-definition.js';
export type { CapabilityInspection } from './registry/inspect-registry.js';
export type { CapabilityView } from './contract/capability-view.js';
export { CapabilityDefinitionError } from './contract/capability-definition-error.js';
export type { DeclarationProblem, DeclarationProblemCode } from './contract/declaration-problem.js';

// Principals and policy
export {
  ANONYMOUS,
  type Grant,
  type Principal,
  type PrincipalInput,
  type PrincipalKind,
  type PrincipalRef,
} from './kernel/principal.js';
export {
  PrincipalResolver,
  type PrincipalSource,
  TokenVerifier,
  type VerifiedToken,
} from './policies/principal-resolver.js';
export { type ApprovalSubject, CapabilityPolicy } from './policies/capability-policy.js';
export {
  allow,
  type ApprovalDemand,
  type CapabilityPolicyRule,
  deny,
  hide,
  type PolicyDecision,
  type PolicyPhase,
  type PolicyRequest,
  requireApproval,
} from './contract/policy-rule.js';

// Ports of the pipeline
export { CapabilityContextResolver } from './execution/context-resolver.js';
export { FaultLogger } from './execution/fault-logger.js';
export { type LimitLease, LimitsPort } from './execution/limits-port.js';
export type { PipelinePorts } from './execution/pipeline-ports.js';
export { Clock, SystemClock } from './kernel/clock.js';
export type { AuditEvent, AuditEventType, DenialCause } from './audit/audit-event.js';
export type { PolicyStance } from './contract/policy-stance.js';
export { AuditSink } from './audit/audit-sink.js';
export { ExecutionHook, type HookEnd, type HookError, type HookStart } from './audit/execution-hook.js';
export { type SpanStart, Telemetry, type TelemetrySpan, type TraceParent } from './audit/telemetry.js';

// Errors
export {
  CapabilityError,
  type CapabilityErrorOptions,
  type ErrorDetails,
  type ErrorIssue,
} from './errors/capability-error.js';
export { type ErrorEnvelope, errorEnvelope } from './errors/error-envelope.js';
export {
  ERROR_TABLE,
  type ErrorReason,
  type ErrorRow,
  TOOL_ERROR_CODES,
  type ToolErrorCode,
} from './errors/error-table.js';
export {
  RPC_INTERNAL_ERROR,
  RPC_INVALID_PARAMS,
  RPC_INVALID_REQUEST,
  RPC_METHOD_NOT_FOUND,
  RPC_PARSE_ERROR,
} from './errors/rpc-codes.js';
export { isToolError, toolError, type ToolError, validationToolError } from './errors/tool-error.js';
export { capabilityFailure, type CapabilityFailureOptions } from './errors/tool-failure.js';

// Approvals, idempotency and stored audit
export { CapabilityStore } from './execution/capability-store.js';
export { ApprovalService, type DecisionRequest } from './approvals/approval-service.js';
export { ApprovalInbox, type InboxPage, type InboxRequest } from './approvals/approval-inbox.js';
export type { ApprovalRecord, ApprovalState, ApprovalVote } from './approvals/approval-record.js';
export { approvalView, type ApprovalView } from './approvals/approval-view.js';
export { APPROVAL_PERMISSIONS } from './approvals/approver-rules.js';
export { InlineConfirmer, type InlineAnswer } from './approvals/inline-confirmer.js';
export { SessionStepUp, StepUpVerifier, type StepUpRequest } from './approvals/step-up.js';
export { AuditTrail, type AuditActor } from './audit/audit-trail.js';
export { type ApprovalNotification, ApprovalNotifier } from './approvals/approval-notifier.js';
export { WebhookNotifier, type WebhookOptions } from './approvals/webhook-notifier.js';
export { verifyWebhook, type WebhookCheck } from './approvals/webhook-signature.js';
export { FileCheckpointAnchor } from './audit/checkpoint-file.js';
export {
  type Checkpoint,
  CheckpointAnchor,
  CheckpointSigner,
  CheckpointVerifier,
} from './audit/checkpoint.js';
export type { ChainReport } from './audit/chain-verification.js';
export { FileLines, JsonLinesSink } from './audit/json-lines-sink.js';
export { completePrincipal } from './kernel/principal.js';
