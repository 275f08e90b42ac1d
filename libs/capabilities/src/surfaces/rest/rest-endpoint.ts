import { Inject, Injectable } from '@nestjs/common';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import { isReadOnly } from '../../registry/capability-definition.js';
import { type PresentedOutcome, presentOutcome } from '../present-outcome.js';
import { type HttpExchange, requestParts } from './http-exchange.js';
import { readRequestInput } from './input/read-request-input.js';
import { sendReply } from './reply/send-reply.js';
import { idempotencyHeader, isRefused, RestCalls } from './rest-calls.js';
import type { CapabilityRoute } from './routes/capability-route.js';
import type { RouteMark } from './routes/route-mark.js';

/** Answers the requests of generated routes: the stages the guards left out, then 5–15, then the reply. */
@Injectable()
export class RestEndpoint {
  constructor(
    @Inject(CapabilityRunner) private readonly runner: CapabilityRunner,
    @Inject(RestCalls) private readonly calls: RestCalls,
  ) {}

  async handle(exchange: HttpExchange, mark: RouteMark): Promise<void> {
    const admission = await this.calls.admission(exchange, mark);
    if (isRefused(admission)) return sendReply(exchange.response, presentOutcome(admission));
    const { route } = mark;
    if (route === undefined) throw new TypeError('An unknown name was admitted.');
    const outcome = await this.runner.run(admission, () =>
      readRequestInput(route, requestParts(exchange.request)),
    );
    sendReply(exchange.response, withIgnoredKey(presentOutcome(outcome), exchange, route));
  }
}

/** Reads ignore idempotency keys and say so. */
function withIgnoredKey(
  reply: PresentedOutcome,
  { request }: HttpExchange,
  { definition }: CapabilityRoute,
): PresentedOutcome {
  if (!isReadOnly(definition) || idempotencyHeader(request) === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, 'Idempotency-Status': 'ignored' } };
}
