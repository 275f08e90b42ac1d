import { Inject, Injectable } from '@nestjs/common';
import { CapabilityError } from '../../../errors/capability-error.js';
import { normalizeError } from '../../../errors/normalize-error.js';
import { executionId } from '../../../kernel/ids.js';
import type { Principal } from '../../../kernel/principal.js';
import { type PresentedOutcome, presentOutcome } from '../../present-outcome.js';
import { type HttpExchange, nodeRequest } from '../http-exchange.js';
import { sendReply } from '../reply/send-reply.js';
import { RestCalls } from '../rest-calls.js';
import { REST_OPTIONS, type ResolvedRestOptions } from '../rest-options.js';
import type { ApprovalCall } from './approval-actions.js';
import { isForgeable } from './page/request-origin.js';

export type ApprovalAction = (call: ApprovalCall) => Promise<PresentedOutcome>;

/** Answers the JSON routes of approvals: who asks, the action, and refusals by the error table. */
@Injectable()
export class ApprovalEndpoint {
  constructor(
    @Inject(RestCalls) private readonly calls: RestCalls,
    @Inject(REST_OPTIONS) private readonly options: ResolvedRestOptions,
  ) {}

  /** A fault is thrown on to the route's filter, which reports it. */
  async handle(exchange: HttpExchange, action: ApprovalAction): Promise<void> {
    const reply = await this.answer(exchange, action);
    sendReply(exchange.response, { ...reply, headers: { ...reply.headers, 'Cache-Control': 'no-store' } });
  }

  private async answer(exchange: HttpExchange, action: ApprovalAction): Promise<PresentedOutcome> {
    const { request } = exchange;
    try {
      const principal = knownPrincipal(await this.calls.principal(request));
      if (isForgeable(nodeRequest(request), this.options.approvals?.publicUrl))
        throw new CapabilityError('FORBIDDEN', CROSS_SITE);
      return await action({ principal, id: approvalIdOf(exchange), exchange });
    } catch (thrown) {
      const error = normalizeError(thrown);
      if (error.reason === 'INTERNAL') throw thrown;
      return refusal(error);
    }
  }
}

const CROSS_SITE = { message: 'A request from another site must send application/json or a bearer token.' };

/** The id as it stands in the path; empty on the list. */
export function approvalIdOf({ request }: HttpExchange): string {
  const id = request.params?.['id'];
  return typeof id === 'string' ? id : '';
}

/** Approvals are nothing for those who proved nothing. Throws UNAUTHENTICATED. */
export function knownPrincipal(principal: Principal | null): Principal {
  if (principal === null || principal.kind === 'anonymous') throw new CapabilityError('UNAUTHENTICATED');
  return principal;
}

function refusal(error: CapabilityError): PresentedOutcome {
  const reply = presentOutcome({
    status: 'failed',
    executionId: executionId(),
    capability: '',
    replayed: false,
    error,
  });
  const stepUp = error.reason === 'UNAUTHENTICATED' && error.details.approvalId !== undefined;
  return stepUp ? { ...reply, headers: { ...reply.headers, 'WWW-Authenticate': STEP_UP } } : reply;
}

/** RFC 9470, section 3: who decides must authenticate again, or more strongly. */
const STEP_UP = 'Bearer error="insufficient_user_authentication"';
