import 'reflect-metadata';
import {
  Req,
  RequestMapping,
  RequestMethod,
  Res,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
  Version,
} from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants.js';
import type { Module } from '@nestjs/core/injector/module.js';
import type { HttpMethod } from '../../../contract/capability-options.js';
import type { CapabilityRouteFilter } from '../reply/capability-route.filter.js';
import type { AdapterRequest, AdapterResponse } from '../http-exchange.js';
import type { RestEndpoint } from '../rest-endpoint.js';
import type { LateEnhancers } from './late-enhancers.js';
import { FASTIFY_ROUTE_FLAG, markRoute, type RouteMark } from './route-mark.js';

/** What every generated handler shares. */
export interface HandlerKit {
  readonly endpoint: Pick<RestEndpoint, 'handle'>;
  readonly enhancers: LateEnhancers;
  readonly filter: CapabilityRouteFilter;
  /** Of the application: stamped on each handler. */
  readonly decorators: readonly MethodDecorator[];
  /** The principal and permission guards, in this order. */
  readonly guards: Parameters<typeof UseGuards>;
}

export interface HandlerPlan {
  /** Property name of the handler, shown in Nest's log. */
  readonly key: string;
  readonly method: HttpMethod;
  readonly path: string | string[];
  readonly versions: readonly string[];
  readonly mark: RouteMark;
  /** The controller's module, in which guards are made. */
  readonly module: Module;
  /** Of the host's class and method: run before every other guard of the handler. */
  readonly transportGuards: readonly unknown[];
  /** Metadata of the host's method and OpenAPI decorators. */
  readonly decorators: readonly MethodDecorator[];
}

/** Fastify's route configuration (`@RouteConfig()` of the platform package): how the body reader knows our routes. */
const FASTIFY_CONFIG = '__fastify_route_config__';

/** Adds one handler to a controller's prototype, as decorators on a written method would. */
export function addHandler(controller: Type<object>, plan: HandlerPlan, kit: HandlerKit): void {
  const prototype = controller.prototype as object;
  const { key, mark } = plan;
  const handler = (request: AdapterRequest, response: AdapterResponse): Promise<void> =>
    kit.endpoint.handle({ request, response }, mark);
  Object.defineProperty(handler, 'name', { value: key, configurable: true });
  const descriptor: PropertyDescriptor = {
    value: handler,
    writable: true,
    configurable: true,
    enumerable: false,
  };
  Object.defineProperty(prototype, key, descriptor);
  for (const decorate of [...plan.decorators, ...kit.decorators]) decorate(prototype, key, descriptor);
  bindEnhancers(prototype, plan, kit, descriptor);
  RequestMapping({ method: RequestMethod[plan.method], path: plan.path })(prototype, key, descriptor);
  if (plan.versions.length > 0) Version([...plan.versions])(prototype, key, descriptor);
  Req()(prototype, key, 0);
  Res()(prototype, key, 1);
  const config: unknown = Reflect.getMetadata(FASTIFY_CONFIG, handler);
  Reflect.defineMetadata(
    FASTIFY_CONFIG,
    { ...(config as object | undefined), [FASTIFY_ROUTE_FLAG]: true },
    handler,
  );
  markRoute(handler, mark);
}

/** Guards in their order: the host's transport guards, the application's decorators, ours. */
function bindEnhancers(
  prototype: object,
  plan: HandlerPlan,
  kit: HandlerKit,
  descriptor: PropertyDescriptor,
): void {
  const handler = descriptor.value as object;
  const stampedGuards = takeMetadata(GUARDS_METADATA, handler);
  const stampedInterceptors = takeMetadata(INTERCEPTORS_METADATA, handler);
  takeMetadata(PIPES_METADATA, handler);
  takeMetadata(EXCEPTION_FILTERS_METADATA, handler);
  const guards = [...plan.transportGuards, ...stampedGuards].map((guard) =>
    kit.enhancers.guard(guard, plan.module),
  );
  UseGuards(...guards, ...kit.guards)(prototype, plan.key, descriptor);
  if (stampedInterceptors.length > 0) {
    const interceptors = stampedInterceptors.map((each) => kit.enhancers.interceptor(each, plan.module));
    UseInterceptors(...interceptors)(prototype, plan.key, descriptor);
  }
  UseFilters(kit.filter)(prototype, plan.key, descriptor);
}

function takeMetadata(key: string, handler: object): readonly unknown[] {
  const value: unknown = Reflect.getMetadata(key, handler);
  Reflect.deleteMetadata(key, handler);
  return Array.isArray(value) ? value : [];
}
