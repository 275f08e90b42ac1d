import { AuditRecorder } from '../audit/audit-recorder.js';
import type { FaultLogger } from '../execution/fault-logger.js';
import type { PipelinePorts } from '../execution/pipeline-ports.js';
import { SystemClock } from '../kernel/clock.js';
import type { AnyCapability } from './capability.js';
import type { CapabilityPolicy } from './capability-policy.js';

/** Time limit of one question to the policy. */
const POLICY_TIMEOUT_MS = 2_000;

/** The capability value behind a name that the pipeline resolved. */
export type FindCapability = (name: string) => AnyCapability;

/** The pipeline's ports over one application's policy: nothing stored, nobody listening. */
export function runtimePorts(
  find: FindCapability,
  policy: CapabilityPolicy<unknown, string>,
  logger: FaultLogger,
): PipelinePorts {
  return {
    policy: policyPort(find, policy),
    policies: [],
    policyTimeoutMs: POLICY_TIMEOUT_MS,
    principals: undefined,
    context: undefined,
    recorder: new AuditRecorder([], () => undefined),
    hooks: [],
    telemetry: undefined,
    limits: undefined,
    governance: undefined,
    clock: new SystemClock(),
    logger,
  };
}

/** An absent `authorize` stays absent: the pipeline then need not ask. */
function policyPort(
  find: FindCapability,
  policy: CapabilityPolicy<unknown, string>,
): NonNullable<PipelinePorts['policy']> {
  return {
    version: '1',
    userHasPermission: (user, permission) => policy.userHasPermission(user, permission),
    ...(policy.authorize === undefined
      ? {}
      : { authorize: (view, user) => policy.authorize!(find(view.name), user) }),
  };
}
