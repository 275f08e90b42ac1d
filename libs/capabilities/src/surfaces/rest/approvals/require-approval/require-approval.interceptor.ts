import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { CapabilityError } from '../../../../errors/capability-error.js';
import { CapabilityRunner } from '../../../../execution/capability-runner.js';
import type { ExecuteOptions } from '../../../../execution/execution-request.js';
import type { FailedOutcome, Outcome } from '../../../../execution/outcome.js';
import type { PipelinePorts } from '../../../../execution/pipeline-ports.js';
import { executionId } from '../../../../kernel/ids.js';
import type { CapabilityDefinition } from '../../../../registry/capability-definition.js';
import { CapabilityRegistry } from '../../../../registry/capability-registry.js';
import { presentOutcome } from '../../../present-outcome.js';
import { exchangeOf, type HttpExchange, nodeRequest } from '../../http-exchange.js';
import { setReplyHead } from '../../reply/send-reply.js';
import { RestCalls } from '../../rest-calls.js';
import { knownPrincipal } from '../approval-endpoint.js';
import { boundRequest } from './bound-request.js';
import { type RequireApprovalOptions, routeCapability } from './route-capability.js';

export const REQUIRE_APPROVAL = Symbol.for('nest-capabilities.rest.RequireApproval');

/** The pipeline's ports, by their shared token. */
const PIPELINE_PORTS = Symbol.for('nest-capabilities.PipelinePorts');

/** The interceptor behind `@RequireApproval()`: the handler runs as a capability of the pipeline would. */
@Injectable()
export class RequireApprovalInterceptor implements NestInterceptor {
  private readonly ports: PipelinePorts;

  constructor(
    @Inject(PIPELINE_PORTS) ports: PipelinePorts,
    @Inject(RestCalls) private readonly calls: RestCalls,
  ) {
    // Guards decided on access already; policies and contexts are written for capabilities.
    this.ports = { ...ports, policy: undefined, policies: [], context: undefined };
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const exchange = exchangeOf(context);
    const handler = new HandlerRun(next);
    const outcome = await this.run(context, exchange, handler);
    // The handler's own answer or error, for the interceptors and filters around it.
    if (outcome.status === 'completed') return of(handler.value);
    if (outcome.status === 'suspended') return of(outcome);
    throw handler.failure === undefined ? refused(exchange, outcome) : handler.failure.error;
  }

  private async run(
    context: ExecutionContext,
    exchange: HttpExchange,
    handler: HandlerRun,
  ): Promise<Outcome> {
    const terms = Reflect.getMetadata(REQUIRE_APPROVAL, context.getHandler()) as RequireApprovalOptions;
    try {
      const options = await this.calls.options(exchange);
      knownPrincipal(await this.calls.principal(exchange.request));
      const request = boundRequest(context);
      const capability = routeCapability(terms, request, () => handler.start());
      return await this.call(capability, request.input, options, approvalId(exchange));
    } catch (error) {
      if (!(error instanceof CapabilityError)) throw error;
      return { status: 'failed', executionId: executionId(), capability: '', replayed: false, error };
    }
  }

  private call(
    capability: CapabilityDefinition,
    input: unknown,
    options: ExecuteOptions,
    id: string | undefined,
  ): Promise<Outcome> {
    const registry = new CapabilityRegistry();
    registry.seal([capability]);
    const runner = new CapabilityRunner(registry, this.ports);
    return id === undefined
      ? runner.execute<string>(capability.name, input, options)
      : runner.executeApproval(id, options);
  }
}

/** The rest of the request, run at most once; the pipeline learns that it ended, not what it answered. */
class HandlerRun {
  value: unknown;
  failure: { readonly error: unknown } | undefined;

  constructor(private readonly next: CallHandler) {}

  async start(): Promise<void> {
    try {
      this.value = await lastValueFrom(this.next.handle(), { defaultValue: undefined });
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

function approvalId({ request }: HttpExchange): string | undefined {
  return nodeRequest(request).headers['approval-id'] as string | undefined;
}

function refused({ response }: HttpExchange, outcome: FailedOutcome): HttpException {
  const { status, body, headers } = presentOutcome(outcome);
  setReplyHead(response, { status, headers });
  return new HttpException(body as Record<string, unknown>, status);
}
