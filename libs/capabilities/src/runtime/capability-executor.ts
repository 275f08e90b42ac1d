import { CapabilityDefinitionError } from '../contract/capability-definition-error.js';
import { CapabilityError } from '../errors/capability-error.js';
import { toolError, type ToolError } from '../errors/tool-error.js';
import { CapabilityRunner } from '../execution/capability-runner.js';
import type { FaultLogger } from '../execution/fault-logger.js';
import { CapabilityRegistry } from '../registry/capability-registry.js';
import { buildCapability } from './build-capability.js';
import type { AnyCapability } from './capability.js';
import type { CapabilityPolicy } from './capability-policy.js';
import { principalOf } from './runtime-principal.js';
import { runtimePorts } from './runtime-ports.js';

/** Runs capability values under one policy, each through a runner that is composed once. */
export class CapabilityExecutor {
  private readonly runners = new WeakMap<AnyCapability, CapabilityRunner>();

  constructor(
    private readonly policy: CapabilityPolicy<unknown, string>,
    private readonly logger: FaultLogger,
  ) {}

  /** The parsed output, or the tool error that the capability answered. Throws `CapabilityError`. */
  async run(capability: AnyCapability, rawArgs: unknown, user: unknown): Promise<unknown> {
    const runner = this.runnerOf(capability);
    const outcome = await runner.execute<string>(capability.name, rawArgs, { principal: principalOf(user) });
    if (outcome.status === 'completed') return outcome.output;
    const { executionId } = outcome;
    if (outcome.status === 'suspended') {
      const { approvalId, links } = outcome.approval;
      throw new CapabilityError('APPROVAL_REQUIRED', { approvalId, links, executionId });
    }
    if (outcome.error.reason === 'TOOL_ERROR') return answered(outcome.error);
    throw outcome.error.with({ executionId });
  }

  private runnerOf(capability: AnyCapability): CapabilityRunner {
    const known = this.runners.get(capability);
    if (known !== undefined) return known;
    const { definition, problems } = buildCapability(capability);
    if (definition === undefined) throw new CapabilityDefinitionError(problems);
    const registry = new CapabilityRegistry();
    registry.seal([definition]);
    const runner = new CapabilityRunner(
      registry,
      runtimePorts(() => capability, this.policy, this.logger),
    );
    this.runners.set(capability, runner);
    return runner;
  }
}

/** A tool error is the capability's own answer: a result, not a throw. */
function answered({ code, message, details }: CapabilityError): ToolError {
  return toolError(code, message, details as Parameters<typeof toolError>[2]);
}
