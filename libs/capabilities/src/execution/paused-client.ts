import type {
  ClientChannel,
  ClientFeature,
  ClientRequest,
  ElicitAnswer,
  ElicitForm,
  ElicitUrl,
  RootsAnswer,
  SampleAnswer,
  SampleRequest,
} from '../contract/client-channel.js';
import { CapabilityError } from '../errors/capability-error.js';
import type { CallSignal } from './call-signal.js';

/**
 * The caller's client as a handler reaches it: while it answers, the deadline of the call stands still. A call that
 * holds an approval or an idempotency key runs once, so it cannot ask where the answer would run it again.
 */
export class PausedClient implements ClientChannel {
  constructor(
    private readonly client: ClientChannel,
    private readonly call: CallSignal,
    private readonly once: boolean,
  ) {}

  supports(feature: ClientFeature): boolean {
    return this.client.supports(feature);
  }

  ask(requests: Readonly<Record<string, ClientRequest>>): Promise<Readonly<Record<string, unknown>>> {
    return this.wait(() => this.client.ask(requests));
  }

  elicit(request: ElicitForm | ElicitUrl, key?: string): Promise<ElicitAnswer> {
    return this.wait(() => this.client.elicit(request, key));
  }

  sample(request: SampleRequest, key?: string): Promise<SampleAnswer> {
    return this.wait(() => this.client.sample(request, key));
  }

  roots(key?: string): Promise<RootsAnswer> {
    return this.wait(() => this.client.roots(key));
  }

  private async wait<T>(question: () => Promise<T>): Promise<T> {
    if (!this.once) return this.call.paused(question);
    throw new CapabilityError('TOOL_ERROR', {
      message: 'This call was approved or has an idempotency key, and cannot be run again to ask its caller.',
      hint: 'Ask before the call, or make it without a key.',
    });
  }
}
