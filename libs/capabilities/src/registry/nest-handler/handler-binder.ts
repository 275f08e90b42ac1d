import type { CanActivate, Type } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';
import type { Module } from '@nestjs/core/injector/module.js';
import type { CapabilityHandler } from '../capability-definition.js';
import type { CapabilityTarget } from '../execution-context/capability-execution-context.js';
import type { ScannedHost } from '../scan-hosts.js';
import { CallContextIds } from './call-context-ids.js';
import { enhancerClass, enhancerName, type MethodEnhancers } from './method-enhancers.js';
import type { HandlerBinding } from './nest-capability-handler.js';
import type { EnhancerKind, InstanceSource, NestInjector } from './nest-injector.js';
import { type BoundGuard, guardRunner } from './run-guards.js';

/** The application's guards beyond those on hosts. */
export interface GuardOptions {
  /** Global guards of the pipeline itself. */
  readonly guards: readonly Type<CanActivate>[];
  /** Guards that run only where Nest runs them on HTTP; matched by exact class. */
  readonly transportGuards: readonly Type<CanActivate>[];
}

/** A guard or interceptor that could not be made. */
export class UnresolvedEnhancer extends Error {
  constructor(
    readonly kind: EnhancerKind,
    readonly enhancer: string,
    reason: string,
  ) {
    super(reason);
  }
}

type Source = InstanceSource<object>;

/** Resolves hosts and their enhancers once, at module init. */
export class HandlerBinder {
  private readonly contextIds: CallContextIds;
  private shared:
    { readonly global: readonly BoundGuard[]; readonly pipeline: readonly BoundGuard[] } | undefined;

  constructor(
    private readonly injector: NestInjector,
    private readonly config: ApplicationConfig,
    private readonly options: GuardOptions,
    private readonly home: Module,
  ) {
    this.contextIds = new CallContextIds(injector);
  }

  /**
   * What a handler needs to reach its method.
   *
   * @throws UnresolvedEnhancer for the first guard or interceptor that cannot be made.
   */
  async binding(
    host: ScannedHost,
    target: CapabilityTarget,
    enhancers: MethodEnhancers,
  ): Promise<Omit<HandlerBinding, 'key' | 'args'>> {
    this.shared ??= { global: await this.globalGuards(), pipeline: await this.pipelineGuards() };
    const own: BoundGuard[] = [];
    for (const guard of enhancers.guards) {
      if (this.isTransport(enhancerClass(guard))) continue;
      own.push({
        name: enhancerName(guard),
        source: asGuard(await this.enhancer(guard, 'guard', host.moduleRef)),
      });
    }
    const interceptors: Source[] = [];
    for (const interceptor of enhancers.interceptors) {
      interceptors.push(await this.enhancer(interceptor, 'interceptor', host.moduleRef));
    }
    return {
      target,
      host: await this.injector.provider(host.wrapper, host.moduleRef),
      guard: this.guardOf([...this.shared.pipeline, ...own], this.shared.global, target),
      interceptors,
      contextIds: this.contextIds,
    };
  }

  /** On a capability's own route Nest has already run the global guards. */
  private guardOf(
    own: readonly BoundGuard[],
    global: readonly BoundGuard[],
    target: CapabilityTarget,
  ): CapabilityHandler['guard'] {
    const runOwn = own.length === 0 ? undefined : guardRunner(own, target, this.contextIds);
    if (global.length === 0) return runOwn;
    const runAll = guardRunner([...global, ...own], target, this.contextIds);
    return (call) => (call.onRoute ? runOwn?.(call) : runAll(call));
  }

  private async globalGuards(): Promise<readonly BoundGuard[]> {
    const guards: BoundGuard[] = this.config
      .getGlobalGuards()
      .filter((guard) => !this.isTransport(enhancerClass(guard)))
      .map((guard) => ({ name: enhancerName(guard), source: { scoped: false, instance: guard } }));
    for (const wrapper of this.config.getGlobalRequestGuards()) {
      const source = await this.injector.injectable(wrapper);
      guards.push({ name: enhancerName(wrapper.metatype), source: this.withoutTransport(source) });
    }
    return guards;
  }

  private async pipelineGuards(): Promise<readonly BoundGuard[]> {
    const guards: BoundGuard[] = [];
    for (const guard of this.options.guards) {
      const source = await this.injector.provider(this.home.providers.get(guard)!, this.home);
      guards.push({ name: guard.name, source: asGuard(checked(source, 'guard', guard.name)) });
    }
    return guards;
  }

  /** What a factory makes is known only once it is made. */
  private withoutTransport(source: Source): InstanceSource<CanActivate | undefined> {
    const keep = (guard: object): CanActivate | undefined =>
      this.isTransport(guard.constructor) ? undefined : (guard as CanActivate);
    if (!source.scoped) return { scoped: false, instance: keep(source.instance) };
    return { scoped: true, load: async (contextId) => keep(await source.load(contextId)) };
  }

  private async enhancer(enhancer: unknown, kind: EnhancerKind, module: Module): Promise<Source> {
    const name = enhancerName(enhancer);
    if (typeof enhancer !== 'function') {
      return checked({ scoped: false, instance: enhancer as object }, kind, name);
    }
    let source: Source;
    try {
      source = await this.injector.enhancer(enhancer as Type<object>, kind, module);
    } catch (error) {
      throw new UnresolvedEnhancer(kind, name, firstLine(error));
    }
    return checked(source, kind, name);
  }

  private isTransport(type: unknown): boolean {
    return (this.options.transportGuards as readonly unknown[]).includes(type);
  }
}

/** An instance that exists must have the method; one made per execution is found out then. */
function checked(source: Source, kind: EnhancerKind, name: string): Source {
  if (source.scoped) return source;
  const method = kind === 'guard' ? 'canActivate' : 'intercept';
  const enhancer = source.instance as Record<string, unknown> | null;
  if (typeof enhancer?.[method] !== 'function') {
    throw new UnresolvedEnhancer(kind, name, `it has no ${method} method`);
  }
  return source;
}

const asGuard = (source: Source): InstanceSource<CanActivate> => source as InstanceSource<CanActivate>;

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
}
