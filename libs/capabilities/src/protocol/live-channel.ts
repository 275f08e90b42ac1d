import type { ClientFeature, ClientRequest } from '../contract/client-channel.js';
import { CapabilityError } from '../errors/capability-error.js';
import { AskingChannel, fitsRequest } from './asking-channel.js';
import type { PendingAnswers } from './pending-answers.js';

/** How a live channel reaches its client. */
export interface LiveLine {
  readonly pending: PendingAnswers;
  /** Who alone may answer: session and principal. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Sends one JSON-RPC message on the stream of the running call. */
  send(message: string): void;
}

/** Asks a client of an earlier revision by a request on the stream of the running call. */
export class LiveChannel extends AskingChannel {
  constructor(
    capabilities: Readonly<Record<string, unknown>>,
    private readonly line: LiveLine,
  ) {
    super(capabilities);
  }

  protected async deliver(
    requests: Readonly<Record<string, ClientRequest>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answers = await Promise.all(
      Object.entries(requests).map(async ([key, request]) => [key, await this.question(request)] as const),
    );
    return Object.fromEntries(answers);
  }

  protected refuse(missing: readonly ClientFeature[]): Error {
    return new CapabilityError('UNAVAILABLE', {
      message: `Client interaction unavailable: the client did not declare ${missing.join(', ')}.`,
      retryable: false,
    });
  }

  private async question(request: ClientRequest): Promise<unknown> {
    const answer = await this.line.pending.ask(this.line, (id) => {
      const { method, params } = request;
      this.line.send(
        JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }),
      );
    });
    if (answer === 'timeout')
      throw new CapabilityError('TIMEOUT', { message: 'The client did not answer in time.' });
    if (answer === 'gone') throw new CapabilityError('CANCELLED');
    if (answer === 'refused' || !fitsRequest(request, answer)) {
      throw new CapabilityError('UNAVAILABLE', {
        message: `The client did not answer ${request.method}.`,
        retryable: false,
      });
    }
    return answer;
  }
}
