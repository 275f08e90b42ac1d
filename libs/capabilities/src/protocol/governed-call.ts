import type { InlineConfirmer } from '../approvals/inline-confirmer.js';
import type { ClientChannel } from '../contract/client-channel.js';
import { CapabilityError } from '../errors/capability-error.js';
import type { CapabilityRunner } from '../execution/capability-runner.js';
import type { CallChannel, ExecuteOptions } from '../execution/execution-request.js';
import type { FailedOutcome, Outcome } from '../execution/outcome.js';
import { CallNotifications } from './call-notifications.js';
import type { CallSite } from './call-site.js';
import type { RpcError } from './rpc-error.js';

/** What a call looks like to the pipeline. */
export interface GovernedCall {
  /** Name of the capability, or of none: the pipeline answers for unknown names too. */
  readonly name: string;
  readonly site: CallSite;
  readonly client: ClientChannel | undefined;
  /** Lets the human behind the call decide on it. */
  readonly confirmer?: InlineConfirmer;
  /** True for the run of a task: it reports through `tasks/get`, progress and messages go nowhere (SEP-2663). */
  readonly quiet?: boolean;
  /** True for a capability that only reads: it ignores idempotency keys. */
  readonly reads?: boolean;
  /** Default: the request's signal. */
  readonly signal?: AbortSignal;
  /** Runs once access was granted, before any input is read; refuses by throwing {@link RpcError}. */
  readonly prepare?: () => void | Promise<void>;
  /** Null for none. Default: the key in the request's `_meta`. */
  readonly idempotencyKey?: string | null;
  /** The raw input, read in stage 5. */
  readonly input: () => unknown;
}

/** The same stages in steps, for calls that answer in between. */
export interface AdmittedCall {
  /** Checks the rest of the envelope. Throws {@link RpcError}, after which the call has ended. */
  readonly prepare: () => Promise<void>;
  /** Stages 5–15. */
  readonly run: () => Promise<Outcome>;
  /** Ends the call instead of running it. */
  readonly abandon: () => Promise<void>;
}

/**
 * Stages 1–4 of a call. Throws {@link RpcError} 401 or 403 with a challenge where the caller's token is what is
 * missing; any other refusal is the outcome.
 */
export async function admitCall(
  runner: CapabilityRunner,
  governed: GovernedCall,
  challenge: Challenge,
): Promise<AdmittedCall | FailedOutcome> {
  const { name, site, client, quiet, input } = governed;
  const notifications = new CallNotifications(site, client);
  const channel = quiet === true ? { client } : notifications;
  const admission = await runner.admit(name, executeOptions(governed, channel));
  if ('status' in admission) {
    const refusal = challenge(admission.error, site);
    if (refusal !== undefined) throw refusal;
    return admission;
  }
  const abandon = async (): Promise<void> => {
    await runner.run(admission, refuseInput);
  };
  const prepare = async (): Promise<void> => {
    try {
      await governed.prepare?.();
    } catch (error) {
      await abandon();
      throw error;
    }
  };
  const run = async (): Promise<Outcome> => {
    const outcome = await runner.run(admission, input);
    notifications.close();
    return outcome;
  };
  return { prepare, run, abandon };
}

/** All stages of a call. Throws {@link RpcError} as `admitCall` and `prepare` do. */
export async function runCall(
  runner: CapabilityRunner,
  governed: GovernedCall,
  challenge: Challenge,
): Promise<Outcome> {
  const admitted = await admitCall(runner, governed, challenge);
  if ('status' in admitted) return admitted;
  await admitted.prepare();
  return admitted.run();
}

/** The protocol's answer to a refusal that a better token would cure; undefined for any other. */
export type Challenge = (error: CapabilityError, site: CallSite) => RpcError | undefined;

function executeOptions(
  { site, signal, confirmer, reads, idempotencyKey }: GovernedCall,
  channel: CallChannel,
): ExecuteOptions {
  const { meta, exchange } = site;
  const key = reads === true ? null : idempotencyKey === undefined ? meta.idempotencyKey : idempotencyKey;
  return {
    principal: site.principal,
    surface: 'mcp',
    signal: signal ?? site.signal,
    channel,
    ...(confirmer === undefined ? {} : { confirmer }),
    ...(key === undefined || key === null ? {} : { idempotencyKey: key }),
    ...(meta.trace === undefined ? {} : { trace: meta.trace }),
    ...(exchange.request === undefined ? {} : { request: exchange.request }),
  };
}

function refuseInput(): never {
  throw new CapabilityError('INPUT_INVALID');
}
