import type { ClientFeature, ClientRequest } from '../contract/client-channel.js';
import { CapabilityError } from '../errors/capability-error.js';
import { QuestionPending } from '../execution/question-pending.js';
import { AskingChannel, fitsRequest } from './asking-channel.js';
import { asCapabilities } from './client-features.js';
import { missingClientCapability, type RpcError } from './rpc-error.js';

/** Answers by key, as the client sent them. */
export type Answers = Readonly<Record<string, unknown>>;

/**
 * Asks by ending the call: what is not answered yet is noted, the handler stops, and the answered call runs it
 * again. Nothing stays in memory between the rounds.
 */
export class ReplayChannel extends AskingChannel {
  /** What the handler waits for; undefined until it asked. */
  asked: Readonly<Record<string, ClientRequest>> | undefined;
  /** The answers that the handler was given so far. */
  readonly used: Record<string, unknown> = {};
  /** Set when the handler needed something that the client did not declare. */
  refusal: RpcError | undefined;

  /** `answers` may be given later, but before the handler runs. */
  constructor(
    capabilities: Readonly<Record<string, unknown>>,
    public answers: Answers = {},
  ) {
    super(capabilities);
  }

  protected async deliver(requests: Readonly<Record<string, ClientRequest>>): Promise<Answers> {
    const open: Record<string, ClientRequest> = {};
    for (const [key, request] of Object.entries(requests)) {
      const answer = Object.hasOwn(this.answers, key) ? this.answers[key] : undefined;
      if (fitsRequest(request, answer)) this.used[key] = answer;
      else open[key] = request;
    }
    if (Object.keys(open).length === 0) return this.used;
    this.asked = open;
    throw new QuestionPending();
  }

  protected refuse(missing: readonly ClientFeature[]): Error {
    this.refusal = missingClientCapability(asCapabilities(missing));
    return new CapabilityError('UNAVAILABLE', { message: this.refusal.message, retryable: false });
  }
}
