import { type ContextId, ContextIdFactory } from '@nestjs/core';
import type { HandlerCall } from '../capability-definition.js';
import { NO_REQUEST } from '../execution-context/capability-execution-context.js';
import type { NestInjector } from './nest-injector.js';

/**
 * One context id per execution, so that its guards, interceptors and host share their
 * request-scoped instances; on HTTP the one Nest gave the request, if any.
 */
export class CallContextIds {
  /** Keyed by the call's one signal: guards and handler get calls of their own. */
  private readonly ids = new WeakMap<AbortSignal, ContextId>();

  constructor(private readonly injector: NestInjector) {}

  of(call: HandlerCall): ContextId {
    const known = this.ids.get(call.signal);
    if (known !== undefined) return known;
    const { request } = call;
    const onTransport = typeof request === 'object' && request !== null;
    const id: ContextId & { payload?: unknown } = onTransport
      ? ContextIdFactory.getByRequest(request)
      : ContextIdFactory.create();
    this.injector.registerRequest(id.payload ?? (onTransport ? request : NO_REQUEST), id);
    this.ids.set(call.signal, id);
    return id;
  }
}
