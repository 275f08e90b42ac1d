import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { catchError, from, map, type Observable } from 'rxjs';
import { ApprovalService } from '../../../../approvals/approval-service.js';
import { CapabilityError } from '../../../../errors/capability-error.js';
import type { SuspendedOutcome } from '../../../../execution/outcome.js';
import { executionId } from '../../../../kernel/ids.js';
import { isRecord } from '../../../../kernel/json.js';
import { ApprovalLinks } from '../../../approval-links.js';
import { presentOutcome } from '../../../present-outcome.js';
import { exchangeOf, type HttpExchange } from '../../http-exchange.js';
import { setReplyHead } from '../../reply/send-reply.js';
import { RestCalls } from '../../rest-calls.js';
import { waitingOutcome } from '../waiting-outcome.js';

/**
 * On controllers of the application: a suspended outcome that a handler returns, or the APPROVAL_REQUIRED that
 * `CapabilityRunner.call` throws, is answered with 202, `Location` and where to go from there.
 */
@Injectable()
export class ApprovalInterceptor implements NestInterceptor {
  constructor(
    @Inject(ApprovalService) private readonly approvals: ApprovalService,
    @Inject(ApprovalLinks) private readonly links: ApprovalLinks,
    @Inject(RestCalls) private readonly calls: RestCalls,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const exchange = exchangeOf(context);
    return next.handle().pipe(
      map((value: unknown) => (isSuspended(value) ? render(exchange, value) : value)),
      catchError((error: unknown) => from(this.suspended(exchange, error))),
    );
  }

  private async suspended(exchange: HttpExchange, error: unknown): Promise<unknown> {
    if (!(error instanceof CapabilityError) || error.reason !== 'APPROVAL_REQUIRED') throw error;
    const { approvalId = '', executionId: id = executionId() } = error.details;
    const principal = await this.calls.principal(exchange.request);
    if (principal === null) throw error;
    const record = await this.approvals.get(principal, approvalId, 'rest');
    return render(exchange, waitingOutcome(record, this.links.of(record), id));
  }
}

function isSuspended(value: unknown): value is SuspendedOutcome {
  return isRecord(value) && value['status'] === 'suspended' && isRecord(value['approval']);
}

function render({ response }: HttpExchange, outcome: SuspendedOutcome): unknown {
  const { body, ...head } = presentOutcome(outcome);
  setReplyHead(response, head);
  return body;
}
