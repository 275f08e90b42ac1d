import { type OptionRule, shown } from './option-rule.js';

const LITERAL = /^[A-Za-z0-9._~-]+$/;
const PARAMETER = /^:([A-Za-z_][A-Za-z0-9_]*)$/;

/** The `:name` parameters of a route path, in order. */
export function pathParameters(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []);
}

/** A path of literal segments and `:name` parameters, the same on Express and Fastify. */
export const routePathRule: OptionRule = (candidate, path, report) => {
  const problem = pathProblem(candidate);
  if (problem !== undefined) {
    report(
      'ROUTE_INVALID',
      `\`${path}\` is ${shown(candidate)}: ${problem}`,
      'Write it as /orders/:id, with literal segments and :name parameters',
    );
  }
};

function pathProblem(candidate: unknown): string | undefined {
  if (typeof candidate !== 'string' || !candidate.startsWith('/')) return 'it must start with "/"';
  const segments = candidate.slice(1).split('/');
  const odd = segments.find((segment) => !LITERAL.test(segment) && !PARAMETER.test(segment));
  if (odd !== undefined)
    return odd === '' ? 'it has an empty segment' : `the segment ${JSON.stringify(odd)} is not allowed`;
  const parameters = pathParameters(candidate);
  return new Set(parameters).size < parameters.length ? 'it repeats a parameter' : undefined;
}
