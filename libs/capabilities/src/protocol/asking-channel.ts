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
import { isRecord } from '../kernel/json.js';
import { declares, featuresOf, undeclared } from './client-features.js';

/** What both eras share: the short forms, and the check of what the client declared. */
export abstract class AskingChannel implements ClientChannel {
  constructor(protected readonly capabilities: Readonly<Record<string, unknown>>) {}

  supports(feature: ClientFeature): boolean {
    return declares(this.capabilities, feature);
  }

  /** Sends requests that the client declared to take. */
  protected abstract deliver(
    requests: Readonly<Record<string, ClientRequest>>,
  ): Promise<Readonly<Record<string, unknown>>>;

  /** Refuses to ask for what the client did not declare. */
  protected abstract refuse(missing: readonly ClientFeature[]): Error;

  async ask(requests: Readonly<Record<string, ClientRequest>>): Promise<Readonly<Record<string, unknown>>> {
    const missing = undeclared(this.capabilities, Object.values(requests).flatMap(featuresOf));
    if (missing.length > 0) throw this.refuse(missing);
    return this.deliver(requests);
  }

  async elicit(params: ElicitForm | ElicitUrl, key = 'elicitation'): Promise<ElicitAnswer> {
    return this.one<ElicitAnswer>(key, { method: 'elicitation/create', params });
  }

  async sample(params: SampleRequest, key = 'sampling'): Promise<SampleAnswer> {
    return this.one<SampleAnswer>(key, { method: 'sampling/createMessage', params });
  }

  async roots(key = 'roots'): Promise<RootsAnswer> {
    return this.one<RootsAnswer>(key, { method: 'roots/list' });
  }

  private async one<Answer>(key: string, request: ClientRequest): Promise<Answer> {
    const answers = await this.ask({ [key]: request });
    return answers[key] as Answer;
  }
}

/** True when an answer has the shape that the request's method demands. */
export function fitsRequest(request: ClientRequest, answer: unknown): boolean {
  if (!isRecord(answer)) return false;
  switch (request.method) {
    case 'elicitation/create':
      return fitsElicitation(answer);
    case 'sampling/createMessage':
      return typeof answer['role'] === 'string' && answer['content'] !== undefined;
    case 'roots/list':
      return Array.isArray(answer['roots']);
  }
}

function fitsElicitation(answer: Record<string, unknown>): boolean {
  const { action, content } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return false;
  return content === undefined || isRecord(content);
}
