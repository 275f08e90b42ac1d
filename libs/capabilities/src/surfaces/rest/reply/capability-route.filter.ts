import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { CapabilityError } from '../../../errors/capability-error.js';
import { describeFault } from '../../../errors/describe-fault.js';
import { normalizeError } from '../../../errors/normalize-error.js';
import type { FaultLogger } from '../../../execution/fault-logger.js';
import { executionId } from '../../../kernel/ids.js';
import { presentOutcome } from '../../present-outcome.js';
import { exchangeOf } from '../http-exchange.js';
import { RefusedCall } from './refused-call.js';
import { sendReply } from './send-reply.js';

/**
 * The filter of every generated route: whatever refuses there, a transport guard or an interceptor of the
 * application included, is answered by the error table. Global filters do not see these routes.
 */
@Catch()
export class CapabilityRouteFilter implements ExceptionFilter {
  constructor(private readonly logger: FaultLogger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const { response } = exchangeOf(host);
    if (thrown instanceof RefusedCall) return sendReply(response, presentOutcome(thrown.outcome));
    const error = publicError(thrown);
    const id = executionId();
    if (error.reason === 'INTERNAL') this.report(id, thrown);
    sendReply(
      response,
      presentOutcome({ executionId: id, capability: '', replayed: false, status: 'failed', error }),
    );
  }

  private report(id: string, thrown: unknown): void {
    const detail = { referenceId: id, capability: '(REST route)', error: describeFault(thrown) };
    this.logger.error('A guard or interceptor of a capability route failed', detail);
  }
}

/** Who is missing credentials learns the same on every route, whichever guard noticed. */
function publicError(thrown: unknown): CapabilityError {
  const error = normalizeError(thrown);
  return error.status === 401 ? new CapabilityError('UNAUTHENTICATED') : error;
}
