import type { RegisteredCapabilities } from '../contract/register.js';
import type { SurfaceId } from '../contract/surface.js';
import { CapabilityError } from '../errors/capability-error.js';
import type { Principal } from '../kernel/principal.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import { combineAccess } from '../policies/combine-verdicts.js';
import { evaluatePolicies } from '../policies/policy-evaluator.js';
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
  /** Admissions that were not run yet, with how the call ended meanwhile. */
  private readonly admitted = new WeakMap<Admission, Promise<FailedOutcome> | 'open'>();

  constructor(
    readonly registry: CapabilityRegistry,
    private readonly ports: PipelinePorts,
  ) {
    this.driver = new CallDriver(registry, ports);
    this.approved = new ApprovedCalls(this.driver, ports);
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
  async visible(principal: Principal, surface: SurfaceId): Promise<readonly CapabilityDefinition[]> {
    const answers = new Map<string | null, Promise<boolean>>();
    const permitted = async (permission: string | null): Promise<boolean> =>
      (await this.driver.permissions.check(principal, permission)).allowed;
    const shown = await Promise.all(
      this.registry.exposedOn(surface).map(async (definition) => {
        if (definition.discovery === 'contextual') return false;
        const { permission } = definition;
        if (!answers.has(permission)) answers.set(permission, permitted(permission));
        return (await answers.get(permission)!) && (await this.accessible(definition, principal, surface));
      }),
    );
    return this.registry.exposedOn(surface).filter((_, index) => shown[index]);
  }

  /** Why a principal may not do what a permission covers, by the rule of every capability; undefined when it may. */
  async permissionRefusal(principal: Principal, permission: string): Promise<CapabilityError | undefined> {
    const answer = await this.driver.permissions.check(principal, permission);
    return answer.allowed ? undefined : answer.error;
  }

  private async accessible(
    definition: CapabilityDefinition,
    principal: Principal,
    surface: SurfaceId,
  ): Promise<boolean> {
    const { accessPolicies } = this.driver.planOf(definition);
    if (accessPolicies.length === 0) return true;
    const request = {
      capability: definition,
      principal,
      surface,
      signal: AbortSignal.timeout(this.ports.policyTimeoutMs),
    };
    const verdict = combineAccess(
      await evaluatePolicies(accessPolicies, request, this.ports.policyTimeoutMs, []),
    );
    return verdict.effect === 'allow' || verdict.effect === 'require-approval';
  }

  private proceed(record: CallRecord, readInput: ReadInput): Promise<Outcome> {
    return this.driver.conclude(record, () => runStages(record, readInput, this.ports, this.driver.journal));
  }
}
