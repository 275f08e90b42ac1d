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

/** Written routes that would answer the requests of a default route. */
export function duplicateRoutes(routes: readonly CapabilityRoute[]): readonly DeclarationProblem[] {
  const first = new Map<string, CapabilityRoute>();
  const problems: DeclarationProblem[] = [];
  for (const route of routes) {
    const key = requestsOf(route);
    const earlier = first.get(key);
    first.set(key, earlier ?? route);
    // Two paths that were both written down are compared by the catalogue's own check.
    if (earlier === undefined || (isWritten(earlier) && isWritten(route))) continue;
    const problem = `${route.method} ${route.path} is also the route of ${earlier.definition.name}`;
    problems.push(
      problemOf(
        route.definition,
        'ROUTE_DUPLICATE',
        problem,
        'Give one of them another http.path or http.method',
      ),
    );
  }
  return problems;
}

const isWritten = ({ definition }: CapabilityRoute): boolean => definition.http.path !== undefined;

const requestsOf = ({ method, path, definition }: CapabilityRoute): string =>
  `${method} ${definition.http.version ?? ''} ${path.replaceAll(/:[^/]+/g, ':').toLowerCase()}`;

function problemOf(
  definition: CapabilityDefinition,
  code: DeclarationProblemCode,
  problem: string,
  remedy: string,
): DeclarationProblem {
  const { className, methodName } = definition.source;
  return { capability: definition.name, className, methodName, code, problem, remedy };
}
