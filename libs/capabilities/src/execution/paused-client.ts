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
import type { CallSignal } from './call-signal.js';

/** The caller's client as a handler reaches it: while it answers, the deadline of the call stands still. */
export class PausedClient implements ClientChannel {
  constructor(
    private readonly client: ClientChannel,
    private readonly call: CallSignal,
  ) {}

  supports(feature: ClientFeature): boolean {
    return this.client.supports(feature);
  }

  ask(requests: Readonly<Record<string, ClientRequest>>): Promise<Readonly<Record<string, unknown>>> {
    return this.call.paused(() => this.client.ask(requests));
  }

  elicit(request: ElicitForm | ElicitUrl, key?: string): Promise<ElicitAnswer> {
    return this.call.paused(() => this.client.elicit(request, key));
  }

  sample(request: SampleRequest, key?: string): Promise<SampleAnswer> {
    return this.call.paused(() => this.client.sample(request, key));
  }

  roots(key?: string): Promise<RootsAnswer> {
    return this.call.paused(() => this.client.roots(key));
  }
}
