import { type CanActivate, Inject, Injectable, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import type { Module } from '@nestjs/core/injector/module.js';
import { FaultLogger } from '../../../execution/fault-logger.js';
import type { CapabilityDefinition } from '../../../registry/capability-definition.js';
import { CapabilityExplorer, type DiscoveredCapability } from '../../../registry/capability-explorer.js';
import type { HostClass } from '../../../registry/capability-metadata.js';
import { enhancerClass, methodEnhancers } from '../../../registry/nest-handler/method-enhancers.js';
import { NestInjector } from '../../../registry/nest-handler/nest-injector.js';
import { PermissionGuard } from '../guards/permission.guard.js';
import { PrincipalGuard } from '../guards/principal.guard.js';
import { OperationDocs } from '../openapi/operation-docs.js';
import { CapabilityRouteFilter } from '../reply/capability-route.filter.js';
import { RestEndpoint } from '../rest-endpoint.js';
import { REST_OPTIONS, type ResolvedRestOptions } from '../rest-options.js';
import { type CapabilityRoute, capabilityRoute, requestKey } from './capability-route.js';
import { carryMetadata } from './carried-metadata.js';
import { addCatchAll } from './catch-all.js';
import { controllerClass, controllerHost } from './controller-stub.js';
import { addHandler, type HandlerKit } from './generated-handler.js';
import { addLateController } from './late-controller.js';
import { LateEnhancers } from './late-enhancers.js';
import { type RouteClash, shadowsApprovals } from './route-problems.js';

/** `CapabilitiesModule`'s options, by their shared token. */
const CAPABILITIES_OPTIONS = Symbol.for('nest-capabilities.Options');

interface TransportOptions {
  readonly transportGuards?: readonly Type<CanActivate>[] | undefined;
}

interface HostRoutes {
  readonly host: DiscoveredCapability;
  readonly routes: { readonly found: DiscoveredCapability; readonly route: CapabilityRoute }[];
}

/** Generates the controllers of every host that is exposed on REST, while modules are constructed. */
@Injectable()
export class RoutePublisher {
  private readonly enhancers: LateEnhancers;
  private home: { readonly module: Module; readonly kit: HandlerKit } | undefined;
  private readonly published = new Map<CapabilityDefinition, CapabilityRoute>();
  private readonly taken = new Map<string, CapabilityRoute>();
  /** Routes left out: Fastify refuses a second one itself, before startup could list every problem. */
  readonly clashes: RouteClash[] = [];
  /** Routes left out: they would take the place of approval routes. */
  readonly shadows: CapabilityRoute[] = [];

  constructor(
    @Inject(CapabilityExplorer) private readonly explorer: CapabilityExplorer,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    @Inject(ModuleRef) moduleRef: ModuleRef,
    @Inject(RestEndpoint) private readonly endpoint: RestEndpoint,
    @Inject(FaultLogger) private readonly logger: FaultLogger,
    @Inject(REST_OPTIONS) private readonly options: ResolvedRestOptions,
    @Inject(CAPABILITIES_OPTIONS) private readonly transport: TransportOptions,
    @Inject(OperationDocs) private readonly docs: OperationDocs,
  ) {
    this.enhancers = new LateEnhancers(new NestInjector(moduleRef));
  }

  /** The routes published so far, by their capability. */
  get routes(): ReadonlyMap<CapabilityDefinition, CapabilityRoute> {
    return this.published;
  }

  /** Adds the routes of capabilities; `home` is the surface's own module. */
  publish(home: Module): void {
    const kit = this.kit(home);
    for (const host of this.hosts()) this.publishHost(host, kit);
    this.home = { module: home, kit };
  }

  /**
   * What handlers of the surface's own routes share with generated ones: the principal guard, the application's
   * decorators and the filter. Undefined until {@link publish} was called.
   */
  ownKit(serve: HandlerKit['endpoint']['handle']): HandlerKit | undefined {
    if (this.home === undefined) return undefined;
    const { kit } = this.home;
    return { ...kit, endpoint: { handle: serve }, guards: kit.guards.slice(0, 1) };
  }

  /** Adds the routes for unknown names, once the application is configured and before the router is filled. */
  publishCatchAll(): void {
    if (this.home === undefined) return;
    const { module: home, kit } = this.home;
    const wildcard = this.adapterHost.httpAdapter.getType() === 'fastify' ? '*' : '*name';
    const versions = new Set([...this.published.keys()].flatMap(({ http }) => http.version ?? []));
    const plan = {
      path: `/${this.options.path}/${wildcard}`,
      home,
      hosts: this.hosts().map(({ host }) => host.moduleRef),
      versions: [...versions],
    };
    addCatchAll(this.modules, this.config, plan, kit, this.docs.excludeController());
  }

  /** Makes the guards of the routes; rejects when one cannot be made. */
  resolveEnhancers(): Promise<void> {
    return this.enhancers.resolve();
  }

  private kit(home: Module): HandlerKit {
    const { decorators } = this.options;
    return {
      endpoint: this.endpoint,
      enhancers: this.enhancers,
      filter: new CapabilityRouteFilter(this.logger),
      decorators,
      guards: [this.enhancers.provided(PrincipalGuard, home), this.enhancers.provided(PermissionGuard, home)],
    };
  }

  private hosts(): readonly HostRoutes[] {
    const hosts = new Map<HostClass, HostRoutes>();
    for (const found of this.explorer.discover()) {
      if (!found.definition.expose.includes('rest')) continue;
      const host = hosts.get(found.hostClass) ?? { host: found, routes: [] };
      host.routes.push({ found, route: capabilityRoute(found.definition, this.options.path) });
      hosts.set(found.hostClass, host);
    }
    return [...hosts.values()];
  }

  private publishHost({ host, routes }: HostRoutes, kit: HandlerKit): void {
    const named = this.namedController(host.hostClass);
    const controller = named ?? controllerClass(`${host.hostClass.name}Controller`);
    const tag = this.docs.controllerTag(
      routes.map(({ route }) => route),
      host.hostClass.name,
    );
    tag?.(controller);
    carryMetadata(host.hostClass, controller);
    // Literal segments before parameters: Express tries routes in the order in which they were added.
    const ordered = routes.toSorted((a, b) => a.route.pathParameters.length - b.route.pathParameters.length);
    for (const { found, route } of ordered) {
      if (!this.claim(route)) continue;
      this.publishRoute(controller, found, route, kit);
      this.published.set(found.definition, route);
    }
    if (named === undefined) addLateController(host.moduleRef, controller);
  }

  /** False for a route that must not be published; it is remembered for the startup check. */
  private claim(route: CapabilityRoute): boolean {
    const { approvals } = this.options;
    const earlier = this.taken.get(requestKey(route));
    if (approvals !== undefined && shadowsApprovals(route, approvals.path)) this.shadows.push(route);
    else if (earlier !== undefined) this.clashes.push({ route, earlier });
    else {
      this.taken.set(requestKey(route), route);
      return true;
    }
    return false;
  }

  private publishRoute(
    controller: Type<object>,
    found: DiscoveredCapability,
    route: CapabilityRoute,
    kit: HandlerKit,
  ): void {
    const method = (found.hostClass.prototype as Record<string, (...args: never[]) => unknown>)[
      found.methodName
    ]!;
    const { guards } = methodEnhancers({ hostClass: found.hostClass, method });
    const { version } = route.definition.http;
    addHandler(
      controller,
      {
        key: route.definition.name,
        method: route.method,
        path: route.path,
        versions: version === undefined ? [] : [version],
        mark: { route },
        module: found.moduleRef,
        transportGuards: guards.filter((guard) => this.isTransport(enhancerClass(guard))),
        decorators: [carrying(method), ...this.docs.decorators(route)],
      },
      kit,
    );
  }

  private isTransport(type: unknown): boolean {
    return ((this.transport.transportGuards ?? []) as readonly unknown[]).includes(type);
  }

  /** The controller that an application listed for this host. */
  private namedController(hostClass: HostClass): Type<object> | undefined {
    for (const { controllers } of this.modules.values()) {
      for (const { metatype } of controllers.values()) {
        if (typeof metatype === 'function' && controllerHost(metatype) === hostClass)
          return metatype as Type<object>;
      }
    }
    return undefined;
  }
}

const carrying =
  (method: object): MethodDecorator =>
  (_target, _key, descriptor) =>
    carryMetadata(method, descriptor.value as object);
