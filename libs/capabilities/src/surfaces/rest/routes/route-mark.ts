import 'reflect-metadata';
import type { CapabilityRoute } from './capability-route.js';

/** What a generated handler serves: a capability; or a name nothing else answers, or a route of the surface's own. */
export type RouteMark = { readonly route: CapabilityRoute } | { readonly route: undefined };

const ROUTE = Symbol.for('nest-capabilities.rest.Route');

/** Marks a generated handler. Nest copies the mark to the function it hands to the adapter. */
export function markRoute(handler: object, mark: RouteMark): void {
  Reflect.defineMetadata(ROUTE, mark, handler);
}

/** The mark of a handler or of what Nest made of it; undefined for the application's own routes. */
export function routeMark(handler: object): RouteMark | undefined {
  return Reflect.getMetadata(ROUTE, handler) as RouteMark | undefined;
}

/** Set in the Fastify configuration of a generated route, where a hook can see it. */
export const FASTIFY_ROUTE_FLAG = 'nest-capabilities';
