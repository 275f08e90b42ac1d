import type { Type } from '@nestjs/common';
import { type ContextId, ContextIdFactory, type ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Module } from '@nestjs/core/injector/module.js';

/** Where an instance comes from: made once, or made for every execution. */
export type InstanceSource<T> =
  | { readonly scoped: false; readonly instance: T }
  | { readonly scoped: true; load(contextId: ContextId): Promise<T> };

export type EnhancerKind = 'guard' | 'interceptor';

/**
 * Instances of hosts, guards and interceptors as Nest's injector makes them. The one file
 * that uses the injector behind `ModuleRef` (semi-internal; the same on Nest 11 and 12).
 */
export class NestInjector {
  private readonly injector: ModuleRef['injector'];

  constructor(private readonly moduleRef: ModuleRef) {
    this.injector = moduleRef['injector'];
  }

  /** A provider or controller. */
  provider(wrapper: InstanceWrapper, module: Module): Promise<InstanceSource<object>> {
    const collection = module.controllers.has(wrapper.token) ? module.controllers : module.providers;
    return this.source(wrapper, module, collection);
  }

  /**
   * Registers guards or interceptors with a host's module. Nest does so for class providers
   * while it scans, but not for hosts made by a factory or handed over as a value, nor for
   * decorators whose metadata another decorator lost.
   */
  register(enhancers: readonly unknown[], kind: EnhancerKind, module: Module): void {
    for (const enhancer of enhancers) {
      if (typeof enhancer !== 'function' || module.injectables.has(enhancer)) continue;
      module.addInjectable(enhancer as Type<object>, kind);
    }
  }

  /** A guard or interceptor of a host's module, registered there if it is not yet. */
  async enhancer(type: Type<object>, kind: EnhancerKind, module: Module): Promise<InstanceSource<object>> {
    this.register([type], kind, module);
    const wrapper = module.injectables.get(type)!;
    await this.injector.loadInjectable(wrapper, module);
    return this.source(wrapper, module, module.injectables);
  }

  /** A global enhancer that is not a singleton, as the application's configuration lists it. */
  injectable(wrapper: InstanceWrapper): Promise<InstanceSource<object>> {
    const module = wrapper.host!;
    return this.source(wrapper, module, module.injectables);
  }

  /** Makes the application's request injectable (`@Inject(REQUEST)`) under a context id. */
  registerRequest(request: unknown, contextId: ContextId): void {
    this.moduleRef.registerRequestByContextId(request, contextId);
  }

  private async source(
    wrapper: InstanceWrapper,
    module: Module,
    collection: Module['providers'],
  ): Promise<InstanceSource<object>> {
    const load = async (contextId: ContextId): Promise<object> => {
      const prototype: unknown = wrapper.instance;
      const made: unknown = await this.injector.loadPerContext(
        prototype,
        module,
        collection,
        contextId,
        wrapper,
      );
      if (typeof made !== 'object' || made === null)
        throw new TypeError(`${wrapper.name} could not be made.`);
      return made;
    };
    if (!wrapper.isDependencyTreeStatic()) return { scoped: true, load };
    if (wrapper.isTransient) return { scoped: false, instance: await load(ContextIdFactory.create()) };
    return { scoped: false, instance: wrapper.instance as object };
  }
}
