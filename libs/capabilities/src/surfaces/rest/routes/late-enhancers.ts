import type { CallHandler, CanActivate, ExecutionContext, NestInterceptor, Type } from '@nestjs/common';
import { type ContextId, ContextIdFactory } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Module } from '@nestjs/core/injector/module.js';
import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import type { InstanceSource, NestInjector } from '../../../registry/nest-handler/nest-injector.js';

/**
 * Guards and interceptors of generated handlers. Nest makes those it sees while it scans, and skips, without
 * a word, a class it has not made: a controller added later would lose its guards. Here each stands in a
 * delegate that is resolved at module init, or startup fails; until then it refuses.
 */
export class LateEnhancers {
  private readonly pending: (() => Promise<void>)[] = [];
  private readonly contextIds = new WeakMap<object, ContextId>();

  constructor(private readonly injector: NestInjector) {}

  /** A guard as `@UseGuards` names it: a class is made in `module`. */
  guard(guard: unknown, module: Module): CanActivate {
    if (typeof guard !== 'function') return guard as CanActivate;
    return this.lateGuard(() => this.injector.enhancer(guard as Type<object>, 'guard', module));
  }

  /** A guard that is a provider of `module` under `token`. */
  provided(token: Type<CanActivate>, module: Module): CanActivate {
    return this.lateGuard(() =>
      this.injector.provider(module.providers.get(token) as InstanceWrapper, module),
    );
  }

  /** An interceptor as `@UseInterceptors` names it. */
  interceptor(interceptor: unknown, module: Module): NestInterceptor {
    if (typeof interceptor !== 'function') return interceptor as NestInterceptor;
    const source = this.late(() =>
      this.injector.enhancer(interceptor as Type<object>, 'interceptor', module),
    );
    const late: NestInterceptor = {
      intercept: async (context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> => {
        const made = (await this.instanceFor(source(), context)) as NestInterceptor;
        return made.intercept(context, next);
      },
    };
    return late;
  }

  /** Makes them all. Rejects with Nest's own message when one cannot be made. */
  async resolve(): Promise<void> {
    for (const make of this.pending.splice(0)) await make();
  }

  private lateGuard(make: () => Promise<InstanceSource<object>>): CanActivate {
    const source = this.late(make);
    return {
      canActivate: async (context) => {
        const made = (await this.instanceFor(source(), context)) as CanActivate;
        const answer = await made.canActivate(context);
        const settled: unknown = isObservable(answer) ? await lastValueFrom(answer) : answer;
        return Boolean(settled);
      },
    };
  }

  private late(make: () => Promise<InstanceSource<object>>): () => InstanceSource<object> {
    let source: InstanceSource<object> | undefined;
    this.pending.push(async () => {
      source = await make();
    });
    return () => {
      if (source === undefined)
        throw new TypeError('A guard of a capability route was asked before module init.');
      return source;
    };
  }

  private async instanceFor(source: InstanceSource<object>, context: ExecutionContext): Promise<object> {
    if (!source.scoped) return source.instance;
    return source.load(this.contextIdOf(context.switchToHttp().getRequest<object>()));
  }

  /** One context id a request, so that its guards share what is request-scoped. */
  private contextIdOf(request: object): ContextId {
    const known = this.contextIds.get(request);
    if (known !== undefined) return known;
    const contextId: ContextId & { payload?: unknown } = ContextIdFactory.getByRequest(request);
    this.injector.registerRequest(contextId.payload ?? request, contextId);
    this.contextIds.set(request, contextId);
    return contextId;
  }
}
