import type { InjectionToken, Provider } from '@nestjs/common';
import type { ApprovalNotifier } from '../approvals/approval-notifier.js';
import { SessionStepUp, StepUpVerifier } from '../approvals/step-up.js';
import { AuditRecorder } from '../audit/audit-recorder.js';
import type { AuditSink } from '../audit/audit-sink.js';
import type { ExecutionHook } from '../audit/execution-hook.js';
import { StoredAudit } from '../audit/stored-audit.js';
import { Telemetry } from '../audit/telemetry.js';
import type { CapabilityPolicyRule } from '../contract/policy-rule.js';
import { CapabilityStore } from '../execution/capability-store.js';
import { CapabilityContextResolver } from '../execution/context-resolver.js';
import { FaultLogger } from '../execution/fault-logger.js';
import { LimitsPort } from '../execution/limits-port.js';
import type { PipelinePorts } from '../execution/pipeline-ports.js';
import { Clock, SystemClock } from '../kernel/clock.js';
import { CapabilityPolicy } from '../policies/capability-policy.js';
import { PrincipalResolver } from '../policies/principal-resolver.js';
import { MemoryCapabilityStore } from '../stores/memory/memory-store.js';
import { ApprovalLinks } from '../surfaces/approval-links.js';
import { AnonymousPrincipals } from './anonymous-principals.js';
import type {
  CapabilitiesPortOptions,
  CapabilitiesValueOptions,
  PortProvider,
} from './capabilities-options.js';
import { composeGovernance } from './governance-providers.js';
import { NestFaultLogger } from './nest-fault-logger.js';
import { CAPABILITIES_OPTIONS, PIPELINE_PORTS } from './tokens.js';

const POLICY_TIMEOUT_MS = 2_000;
const PROVIDER_KEYS = ['useClass', 'useExisting', 'useFactory', 'useValue'];

/** The provider of every configured port, and of the composed {@link PipelinePorts}. */
export function portProviders(options: CapabilitiesPortOptions): readonly Provider[] {
  const policies = listProviders('policies', options.policies ?? []);
  const sinks = listProviders('sinks', options.sinks ?? []);
  const hooks = listProviders('hooks', options.hooks ?? []);
  const notifiers = listProviders('notifiers', options.notifiers ?? []);
  const single: readonly PortEntry[] = [
    [Clock, options.clock ?? SystemClock],
    [PrincipalResolver, options.principals ?? AnonymousPrincipals],
    [FaultLogger, NestFaultLogger],
    [CapabilityPolicy, options.policy],
    [CapabilityContextResolver, options.context],
    [Telemetry, options.telemetry],
    [LimitsPort, options.limits],
    [StepUpVerifier, options.stepUp ?? DEFAULT_STEP_UP],
    [CapabilityStore, options.store ?? DEFAULT_STORE],
  ];
  const singles = single.flatMap(([token, port]) => (port === undefined ? [] : [provide(token, port)]));
  const ports = [...singles, ...policies, ...sinks, ...hooks, ...notifiers];
  const tokens = [CAPABILITIES_OPTIONS, ApprovalLinks, ...ports.map((port) => port.provide)];
  const composed: Provider = {
    provide: PIPELINE_PORTS,
    inject: tokens,
    useFactory: (...values: unknown[]): PipelinePorts => {
      const made = new Map(tokens.map((token, index) => [token, values[index]]));
      const all = <T>(list: readonly NamedProvider[]): T[] =>
        list.map(({ provide: token }) => made.get(token) as T);
      return compose(made, all(policies), all(sinks), all(hooks), all(notifiers));
    },
  };
  return [...ports, composed];
}

type NamedProvider = Exclude<Provider, Function> & { provide: InjectionToken };
type PortEntry = readonly [token: InjectionToken, port: unknown];

function compose(
  made: ReadonlyMap<InjectionToken, unknown>,
  policies: readonly CapabilityPolicyRule[],
  sinks: readonly AuditSink[],
  hooks: readonly ExecutionHook[],
  notifiers: readonly ApprovalNotifier[],
): PipelinePorts {
  const port = <T>(token: InjectionToken): T | undefined => made.get(token) as T | undefined;
  const logger = port<FaultLogger>(FaultLogger)!;
  const { policyTimeoutMs = POLICY_TIMEOUT_MS, audit } = made.get(
    CAPABILITIES_OPTIONS,
  ) as CapabilitiesValueOptions;
  const store = port<CapabilityStore>(CapabilityStore)!;
  const recorder = new AuditRecorder([new StoredAudit(store.audit), ...sinks], (sink) =>
    logger.warn(`The audit sink ${sink} failed to write an event.`),
  );
  const policy = port<CapabilityPolicy<unknown, string>>(CapabilityPolicy);
  const principals = port<PrincipalResolver<unknown>>(PrincipalResolver);
  const clock = port<Clock>(Clock)!;
  const stepUp = port<StepUpVerifier>(StepUpVerifier)!;
  const links = port<ApprovalLinks>(ApprovalLinks)!;
  const shared = { policy, policyTimeoutMs, principals, recorder, clock, logger };
  return {
    ...shared,
    policies,
    hooks,
    context: port(CapabilityContextResolver),
    telemetry: port(Telemetry),
    limits: port(LimitsPort),
    governance: composeGovernance({ ...shared, store, stepUp, notifiers, links, audit }),
  };
}

const DEFAULT_STEP_UP: PortProvider<StepUpVerifier> = {
  inject: [Clock] as never,
  useFactory: (clock: Clock) => new SessionStepUp(clock),
};

/** The store of an application that chose none: it says so, once. */
const DEFAULT_STORE: PortProvider<CapabilityStore> = {
  inject: [Clock, FaultLogger] as never,
  useFactory: (clock: Clock, logger: FaultLogger) => {
    logger.warn(
      'Approvals, idempotency keys and audit are kept in memory and end with this process. Pass `store: { useValue: new SqlCapabilityStore(...) }` to keep them, or `store: MemoryCapabilityStore` to accept it.',
    );
    return new MemoryCapabilityStore({ clock });
  },
};

/** Nest has no multi-providers: each entry of a list gets a token of its own. */
function listProviders<T>(list: string, entries: readonly (T | PortProvider<T>)[]): readonly NamedProvider[] {
  return entries.map((entry, index) => provide(Symbol.for(`nest-capabilities.${list}.${index}`), entry));
}

/** A class, a custom provider, or (for policies) the value itself. */
function provide(token: InjectionToken, port: unknown): NamedProvider {
  if (typeof port === 'function') return { provide: token, useClass: port as never };
  const custom = typeof port === 'object' && port !== null && PROVIDER_KEYS.some((key) => key in port);
  return custom ? ({ provide: token, ...port } as NamedProvider) : { provide: token, useValue: port };
}
