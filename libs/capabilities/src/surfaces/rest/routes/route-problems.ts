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
