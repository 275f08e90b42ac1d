import { Inject, Injectable, Logger } from '@nestjs/common';
import { parseTraceParent } from '../../audit/trace-parent.js';
import type { Admission } from '../../execution/admission.js';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import type { ExecuteOptions } from '../../execution/execution-request.js';
import type { FailedOutcome } from '../../execution/outcome.js';
import { completePrincipal, type Principal } from '../../kernel/principal.js';
import { PrincipalResolver } from '../../policies/principal-resolver.js';
import { isReadOnly } from '../../registry/capability-definition.js';
import { bearerToken } from '../bearer-token.js';
import {
  type AdapterRequest,
  type HttpExchange,
  nodeRequest,
  nodeResponse,
  requestTarget,
} from './http-exchange.js';
import { REST_OPTIONS, type ResolvedRestOptions } from './rest-options.js';
import type { CapabilityRoute } from './routes/capability-route.js';
import type { RouteMark } from './routes/route-mark.js';
import { unknownName } from './routes/unknown-name.js';

/** What the guards of one request have learned. */
interface RequestState {
  principal?: Promise<Principal | null>;
  admission?: Promise<Admission | FailedOutcome>;
}

/** True for a refusal of stages 1–4. */
export function isRefused(admission: Admission | FailedOutcome): admission is FailedOutcome {
  return 'status' in admission;
}

/**
 * Stages 1–4 of REST calls, each at most once a request: whoever asks first runs it, guard or handler, and
 * the result is kept beside the request. Nothing in the request itself can stand for it.
 */
@Injectable()
export class RestCalls {
  private readonly states = new WeakMap<object, RequestState>();
  private readonly logger = new Logger('Capabilities');

  constructor(
    @Inject(CapabilityRunner) private readonly runner: CapabilityRunner,
    @Inject(PrincipalResolver) private readonly principals: PrincipalResolver<unknown>,
    @Inject(REST_OPTIONS) private readonly rest: ResolvedRestOptions,
  ) {}

  /** The verified caller; null when the resolver refused. */
  principal(request: AdapterRequest): Promise<Principal | null> {
    const state = this.stateOf(request);
    return (state.principal ??= this.resolve(request));
  }

  /** Stages 1–4 of the call that a generated route stands for. */
  admission(exchange: HttpExchange, mark: RouteMark): Promise<Admission | FailedOutcome> {
    const state = this.stateOf(exchange.request);
    return (state.admission ??= this.admit(exchange, mark));
  }

  private stateOf(request: AdapterRequest): RequestState {
    const known = this.states.get(request);
    if (known !== undefined) return known;
    const state: RequestState = {};
    this.states.set(request, state);
    return state;
  }

  private async resolve(request: AdapterRequest): Promise<Principal | null> {
    const token = bearerToken(nodeRequest(request).headers.authorization);
    const source = { surface: 'rest', request, ...(token === undefined ? {} : { token }) } as const;
    try {
      const resolved = await this.principals.resolve(source);
      return resolved === null ? null : (completePrincipal(resolved) ?? null);
    } catch (error) {
      this.logger.debug(`PrincipalResolver refused: ${error instanceof Error ? error.name : typeof error}`);
      return null;
    }
  }

  /** The options of a call that this request makes: who, from where, and until when. */
  async options(exchange: HttpExchange): Promise<ExecuteOptions> {
    const principal = await this.principal(exchange.request);
    const trace = parseTraceParent(nodeRequest(exchange.request).headers['traceparent']);
    return {
      principal,
      surface: 'rest',
      request: exchange.request,
      signal: disconnectSignal(exchange),
      ...(trace === undefined ? {} : { trace }),
    };
  }

  private async admit(exchange: HttpExchange, mark: RouteMark): Promise<Admission | FailedOutcome> {
    const options: ExecuteOptions = {
      ...(await this.options(exchange)),
      onRoute: true,
      ...(mark.route === undefined ? {} : idempotencyKey(exchange.request, mark.route)),
    };
    return this.runner.admit(this.nameOf(exchange.request, mark), options);
  }

  private nameOf(request: AdapterRequest, mark: RouteMark): string {
    if (mark.route !== undefined) return mark.route.definition.name;
    const name = unknownName(requestTarget(request), this.rest.path);
    const exposed = this.runner.registry.get(name)?.expose.includes('rest') === true;
    // The name is served, but not here: with another method or at its own path.
    return exposed ? `${nodeRequest(request).method} ${name}` : name;
  }
}

/** The Idempotency-Key of a call that may change something, quoted (RFC 9651 string) or bare. */
function idempotencyKey(
  request: AdapterRequest,
  { definition }: CapabilityRoute,
): Pick<ExecuteOptions, 'idempotencyKey'> {
  const header = idempotencyHeader(request);
  if (header === undefined || isReadOnly(definition)) return {};
  return { idempotencyKey: /^"[^"]*"$/.test(header) ? header.slice(1, -1) : header };
}

/** The header as sent; several are joined, which no valid key survives. */
export function idempotencyHeader(request: AdapterRequest): string | undefined {
  const value = nodeRequest(request).headers['idempotency-key'];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Aborts when the client is gone before it was answered. */
function disconnectSignal({ response }: HttpExchange): AbortSignal {
  const node = nodeResponse(response);
  const controller = new AbortController();
  const onClose = (): void => {
    if (!node.writableFinished) controller.abort();
  };
  if (node.destroyed) controller.abort();
  else node.once('close', onClose);
  return controller.signal;
}
