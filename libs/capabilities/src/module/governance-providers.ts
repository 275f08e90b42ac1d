import { randomBytes } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { ApprovalGate } from '../approvals/approval-gate.js';
import { ApprovalInbox } from '../approvals/approval-inbox.js';
import type { ApprovalNotifier } from '../approvals/approval-notifier.js';
import type { ApprovalPorts } from '../approvals/approval-ports.js';
import { ApprovalService } from '../approvals/approval-service.js';
import { ApproverRules } from '../approvals/approver-rules.js';
import type { StepUpVerifier } from '../approvals/step-up.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AuditRecorder } from '../audit/audit-recorder.js';
import { CapabilityStore } from '../execution/capability-store.js';
import type { FaultLogger } from '../execution/fault-logger.js';
import type { Governance, PipelinePorts } from '../execution/pipeline-ports.js';
import { describeFault } from '../errors/describe-fault.js';
import type { Clock } from '../kernel/clock.js';
import type { CapabilityPolicy } from '../policies/capability-policy.js';
import { PermissionChecker } from '../policies/permission-checker.js';
import type { PrincipalResolver } from '../policies/principal-resolver.js';
import { ApprovalLinks } from '../surfaces/approval-links.js';
import type { AuditOptions, CapabilitiesValueOptions } from './capabilities-options.js';
import { CAPABILITIES_OPTIONS, PIPELINE_PORTS } from './tokens.js';

/** The ports that approvals are made of. */
export interface GovernanceParts {
  readonly store: CapabilityStore;
  readonly policy: CapabilityPolicy<unknown, string> | undefined;
  readonly policyTimeoutMs: number;
  readonly principals: PrincipalResolver<unknown> | undefined;
  readonly recorder: AuditRecorder;
  readonly clock: Clock;
  readonly logger: FaultLogger;
  readonly stepUp: StepUpVerifier;
  readonly notifiers: readonly ApprovalNotifier[];
  readonly links: ApprovalLinks;
  readonly audit: AuditOptions | undefined;
}

/** Composes approvals over one store. */
export function composeGovernance(parts: GovernanceParts): Governance {
  const { store, policy, policyTimeoutMs, clock, logger, links } = parts;
  const permissions = new PermissionChecker(policy, policyTimeoutMs);
  const rules = new ApproverRules(policy, permissions, policyTimeoutMs);
  const ports: ApprovalPorts = {
    store: store.approvals,
    policy,
    permissions,
    policyTimeoutMs,
    principals: parts.principals,
    recorder: parts.recorder,
    clock,
    stepUp: parts.stepUp,
    notifiers: parts.notifiers,
    auditKey: parts.audit?.key ?? randomBytes(32),
    onFault: (where, error) => logger.warn(`${where} failed: ${describeFault(error)}`),
  };
  return {
    store,
    gate: new ApprovalGate(ports, rules),
    approvals: new ApprovalService(ports, rules),
    inbox: new ApprovalInbox(ports, rules),
    links: (record) => links.of(record),
  };
}

/** What applications and surfaces inject. */
export const GOVERNANCE_PROVIDERS: readonly Provider[] = [
  ApprovalLinks,
  part(ApprovalService, ({ approvals }) => approvals),
  part(ApprovalInbox, ({ inbox }) => inbox),
  part(ApprovalGate, ({ gate }) => gate),
  {
    provide: AuditTrail,
    inject: [PIPELINE_PORTS, CAPABILITIES_OPTIONS],
    useFactory: ({ governance, clock }: PipelinePorts, { audit }: CapabilitiesValueOptions) => {
      const { signer, verifier, anchor } = audit ?? {};
      return new AuditTrail(governance!.store.audit, { clock, ...defined({ signer, verifier, anchor }) });
    },
  },
];

/** Tokens of {@link GOVERNANCE_PROVIDERS} and the store. */
export const GOVERNANCE_EXPORTS = [
  ApprovalLinks,
  ApprovalService,
  ApprovalInbox,
  ApprovalGate,
  AuditTrail,
  CapabilityStore,
];

function part<T>(token: abstract new (...args: never[]) => T, pick: (governance: Governance) => T): Provider {
  return {
    provide: token,
    inject: [PIPELINE_PORTS],
    useFactory: ({ governance }: PipelinePorts) => pick(governance!),
  };
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
