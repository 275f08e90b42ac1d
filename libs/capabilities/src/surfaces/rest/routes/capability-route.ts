import type { HttpMethod } from '../../../contract/capability-options.js';
import { pathParameters } from '../../../contract/route-path.js';
import type { CapabilityDefinition } from '../../../registry/capability-definition.js';
import { type WireShape, wireShape } from '../input/wire-shape.js';

/** Where and how one capability is served, worked out once at boot. */
export interface CapabilityRoute {
  readonly definition: CapabilityDefinition;
  readonly method: HttpMethod;
  /** Below the application's root, with a leading slash; `:name` segments are path parameters. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** GET and DELETE: the fields that are not in the path come from the query, and there is no body. */
  readonly readsQuery: boolean;
  /** How each field's text is decoded. */
  readonly shapes: ReadonlyMap<string, WireShape>;
}

/** The route of a capability: its own `http` hints, else `POST /{restPath}/{name}`. */
export function capabilityRoute(definition: CapabilityDefinition, restPath: string): CapabilityRoute {
  const { method = 'POST', path = `/${restPath}/${definition.name}` } = definition.http;
  const { input } = definition;
  const shapes = Object.entries(input.properties).map(
    ([field, schema]) => [field, wireShape(schema, input.exact)] as const,
  );
  return {
    definition,
    method,
    path,
    pathParameters: pathParameters(path),
    readsQuery: method === 'GET' || method === 'DELETE',
    shapes: new Map(shapes),
  };
}

/** Equal for two routes that would answer the same requests: parameters match by position, whatever their names. */
export function requestKey({ method, path, definition }: CapabilityRoute): string {
  return `${method} ${definition.http.version ?? ''} ${path.replaceAll(/:[^/]+/g, ':').toLowerCase()}`;
}

/** The fields a GET or DELETE route reads from the query. */
export function queryFields(route: CapabilityRoute): readonly string[] {
  if (!route.readsQuery) return [];
  return [...route.shapes.keys()].filter((field) => !route.pathParameters.includes(field));
}
