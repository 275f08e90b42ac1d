import type { RegisteredCapabilities } from '../contract/register.js';
import type { SurfaceId } from '../contract/surface.js';
import { CapabilityError } from '../errors/capability-error.js';
import type { Principal } from '../kernel/principal.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import type { CapabilityRegistry } from '../registry/capability-registry.js';
import type { Admission } from './admission.js';
import { ApprovedCalls } from './approved-calls.js';
import { CallDriver } from './call-driver.js';
import type { CallRecord } from './call-record.js';
import type { ExecuteOptions, ReadInput } from './execution-request.js';
import type { FailedOutcome, Outcome } from './outcome.js';
import type { PipelinePorts } from './pipeline-ports.js';
import { runStages } from './run-stages.js';
import { VisibleCapabilities } from './visible-capabilities.js';

/** Input of a registered capability; `unknown` for any other name. */
export type CapabilityInput<N extends string> = N extends keyof RegisteredCapabilities
  ? RegisteredCapabilities[N] extends { input: infer I }
    ? I
    : unknown
  : unknown;

/** Output of a registered capability; `unknown` for any other name. */
export type CapabilityOutput<N extends string> = N extends keyof RegisteredCapabilities
  ? RegisteredCapabilities[N] extends { output: infer O }
    ? O
    : unknown
  : unknown;

/** Runs capabilities through the one pipeline. Inject it anywhere; typed by literal name through `Register`. */
export class CapabilityRunner {
  private readonly driver: CallDriver;
  private readonly approved: ApprovedCalls;
  private readonly seen: VisibleCapabilities;
  /** Admissions that were not run yet, with how the call ended meanwhile. */
  private readonly admitted = new WeakMap<Admission, Promise<FailedOutcome> | 'open'>();

  constructor(
    readonly registry: CapabilityRegistry,
    private readonly ports: PipelinePorts,
  ) {
    this.driver = new CallDriver(registry, ports);
    this.approved = new ApprovedCalls(this.driver, ports);
    const { driver } = this;
    this.seen = new VisibleCapabilities(
      registry,
      driver.permissions,
      (definition) => driver.planOf(definition),
      ports.policyTimeoutMs,
    );
  }

  /** Composes every capability's plan; called once when the registry is sealed. */
  compose(): void {
    for (const definition of this.registry.all()) this.driver.planOf(definition);
  }

  /** Runs a capability. A governed failure is an outcome with `status: 'failed'`, never a throw. */
  async execute<N extends string>(
    name: N,
    input: CapabilityInput<N>,
    options: ExecuteOptions,
  ): Promise<Outcome<CapabilityOutput<N>>> {
    const record = this.driver.open(name, options);
    try {
      const admitted = this.driver.pass(record);
      if (isPromiseLike(admitted)) await admitted;
      return (await this.proceed(record, () => input)) as Outcome<CapabilityOutput<N>>;
    } catch (error) {
      return this.driver.fail(record, error);
    }
  }

  /** Runs a capability and returns its output. Throws `CapabilityError`; APPROVAL_REQUIRED when it was suspended. */
  async call<N extends string>(
    name: N,
    input: CapabilityInput<N>,
    options: ExecuteOptions,
  ): Promise<CapabilityOutput<N>> {
    const outcome = await this.execute(name, input, options);
    if (outcome.status === 'completed') return outcome.output;
    if (outcome.status === 'failed') throw outcome.error;
    const { approvalId, links } = outcome.approval;
    throw new CapabilityError('APPROVAL_REQUIRED', { approvalId, links, executionId: outcome.executionId });
  }

  /**
   * Stages 1–4, for surfaces that answer 401, 403 and 404 before they read a body. An
   * admission that is never run ends with its deadline.
   */
  async admit(name: string, options: ExecuteOptions): Promise<Admission | FailedOutcome> {
    const record = this.driver.open(name, options);
    try {
      const admitted = this.driver.pass(record);
      if (isPromiseLike(admitted)) await admitted;
      this.admitted.set(record, 'open');
      record.call.onAbort((error) => {
        if (!record.used) this.admitted.set(record, this.driver.fail(record, error));
      });
      return record;
    } catch (error) {
      return this.driver.fail(record, error);
    }
  }

  /**
   * Stages 5–15 of an admitted call; `readInput` is called in stage 5. An admission runs once; one whose
   * caller left or whose time ran out meanwhile answers so.
   */
  async run(admission: Admission, readInput: ReadInput): Promise<Outcome> {
    const ended = this.admitted.get(admission);
    if (ended === undefined) throw new TypeError('run() takes an admission of this runner, once.');
    this.admitted.delete(admission);
    if (ended !== 'open') return ended;
    const record = admission as CallRecord;
    record.used = true;
    try {
      return await this.proceed(record, readInput);
    } catch (error) {
      return this.driver.fail(record, error);
    }
  }

  /**
   * Executes an approved record as its original requester, re-read with their current rights,
   * on the recorded surface; a pending record answers like the call that asked.
   * `options.principal` must be the requester's human.
   */
  executeApproval(approvalId: string, options: ExecuteOptions): Promise<Outcome> {
    return this.approved.execute(approvalId, options);
  }

  /** What an executed approval came to, for its requester; redaction runs again. Nothing is executed. */
  approvalOutcome(approvalId: string, options: ExecuteOptions): Promise<Outcome> {
    return this.approved.outcome(approvalId, options);
  }

  /**
   * What a principal may see on a surface: exposure, permission (one check per distinct
   * permission) and access policies, ordered by name; contextual capabilities are left
   * out. The list never decides a call.
   */
  visible(principal: Principal, surface: SurfaceId): Promise<readonly CapabilityDefinition[]> {
    return this.seen.of(principal, surface);
  }

  /** Why a principal may not do what a permission covers, by the rule of every capability; undefined when it may. */
  async permissionRefusal(principal: Principal, permission: string): Promise<CapabilityError | undefined> {
    const answer = await this.driver.permissions.check(principal, permission);
    return answer.allowed ? undefined : answer.error;
  }

  private proceed(record: CallRecord, readInput: ReadInput): Promise<Outcome> {
    return this.driver.conclude(record, () => runStages(record, readInput, this.ports, this.driver.journal));
  }
}
