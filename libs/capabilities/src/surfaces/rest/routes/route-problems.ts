import type { DeclarationProblem, DeclarationProblemCode } from '../../../contract/declaration-problem.js';
import type { CapabilityDefinition } from '../../../registry/capability-definition.js';
import type { CapabilityRoute } from './capability-route.js';

/** A capability exposed on REST that got no route. */
export function routeMissing(definition: CapabilityDefinition): DeclarationProblem {
  const { className } = definition.source;
  return problemOf(
    definition,
    'ROUTE_MISSING',
    'it is exposed on rest but got no route',
    `Provide it with ${className} as its token, so that it is known before it is made`,
  );
}

/** A route that was not published, because an earlier one answers its requests. */
export interface RouteClash {
  readonly route: CapabilityRoute;
  readonly earlier: CapabilityRoute;
}

/** Clashes with a default route; equal names and two paths that were written down are found in the catalogue. */
export function duplicateRoutes(clashes: readonly RouteClash[]): readonly DeclarationProblem[] {
  return clashes
    .filter(({ route, earlier }) => route.definition.name !== earlier.definition.name)
    .filter(({ route, earlier }) => !isWritten(earlier) || !isWritten(route))
    .map(({ route, earlier }) =>
      problemOf(
        route.definition,
        'ROUTE_DUPLICATE',
        `${route.method} ${route.path} is also the route of ${earlier.definition.name}`,
        'Give one of them another http.path or http.method',
      ),
    );
}

/** The longest approval route has two segments below the path of the approvals. */
const BELOW_APPROVALS = 2;

/** True for a route that would answer requests of the approval routes: on Express the first that fits answers. */
export function shadowsApprovals({ method, path }: CapabilityRoute, approvalsPath: string): boolean {
  if (method !== 'GET' && method !== 'POST') return false;
  const segments = path.toLowerCase().slice(1).split('/');
  const reserved = approvalsPath.toLowerCase().split('/');
  if (segments.length > reserved.length + BELOW_APPROVALS) return false;
  return reserved.every((segment, index) => segments[index]?.startsWith(':') || segments[index] === segment);
}

/** Capabilities whose route would take the place of an approval route. */
export function shadowingRoutes(routes: readonly CapabilityRoute[]): readonly DeclarationProblem[] {
  return routes.map(({ definition, method, path }) =>
    problemOf(
      definition,
      'ROUTE_DUPLICATE',
      `${method} ${path} would answer requests of the approval routes`,
      'Give it another http.path, or move those with RestSurfaceModule.forRoot({ approvals: { path } })',
    ),
  );
}

const isWritten = ({ definition }: CapabilityRoute): boolean => definition.http.path !== undefined;

function problemOf(
  definition: CapabilityDefinition,
  code: DeclarationProblemCode,
  problem: string,
  remedy: string,
): DeclarationProblem {
  const { className, methodName } = definition.source;
  return { capability: definition.name, className, methodName, code, problem, remedy };
}
