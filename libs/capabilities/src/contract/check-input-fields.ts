import type { CompiledInput } from '../kernel/compiled-schema.js';
import type { CapabilityOptions } from './capability-options.js';
import type { DeclarationProblemCode } from './declaration-problem.js';
import { nearestWord } from './nearest-word.js';
import type { Report } from './option-rule.js';
import { pathParameters } from './route-path.js';
import { admits, FIELD_KINDS } from './schema-types.js';

/**
 * Whether every input field that the options name exists and can serve as what they want it for.
 * Ill-typed options are skipped: {@link checkDeclaration} reports them.
 */
export function checkInputFields(options: CapabilityOptions, input: CompiledInput, report: Report): void {
  checkRoute(options, input, report);
  for (const field of strings(options.constraints)) {
    if (!knows(input, field, 'FIELD_UNKNOWN', '`constraints` names', report) || !input.transforms(field))
      continue;
    report(
      'CONSTRAINT_TRANSFORMS',
      `the constrained field ${JSON.stringify(field)} may be changed by parsing (coercion, transform or default)`,
      'Constrain a field whose value reaches the handler as it was sent',
    );
  }
  for (const field of strings([options.limits?.budget?.field])) {
    if (!knows(input, field, 'FIELD_UNKNOWN', '`limits.budget.field` names', report)) continue;
    if (admits(input.properties[field], input.exact, FIELD_KINDS.numeric)) continue;
    const problem = `\`limits.budget.field\` names ${JSON.stringify(field)}, which is not numeric`;
    report('FIELD_UNKNOWN', problem, 'Name a number or integer field');
  }
  for (const field of strings(options.cli?.positional)) {
    knows(input, field, 'FIELD_UNKNOWN', '`cli.positional` names', report);
  }
}

function checkRoute({ http, expose }: CapabilityOptions, input: CompiledInput, report: Report): void {
  const parameters = strings([http?.path]).flatMap(pathParameters);
  for (const parameter of parameters) {
    if (!knows(input, parameter, 'PATH_PARAMETER_UNKNOWN', 'the path has the parameter', report)) continue;
    if (admits(input.properties[parameter], input.exact, FIELD_KINDS.scalar)) continue;
    const problem = `the path parameter :${parameter} is an object or array`;
    report('ROUTE_INVALID', problem, 'Send it in the body, and name a scalar field in the path');
  }
  const usesQuery = http?.method === 'GET' || http?.method === 'DELETE';
  if (!usesQuery || !strings(expose).includes('rest')) return;
  for (const [field, schema] of Object.entries(input.properties)) {
    if (parameters.includes(field) || admits(schema, input.exact, FIELD_KINDS.scalarOrList)) continue;
    report(
      'QUERY_PARAMETER_INVALID',
      `${http.method} reads the field ${JSON.stringify(field)} from the query, which cannot carry an object`,
      'Use POST, PUT or PATCH, or make it a scalar',
    );
  }
}

/** True when the input has the field; reports it otherwise. */
function knows(
  input: CompiledInput,
  field: string,
  code: DeclarationProblemCode,
  who: string,
  report: Report,
): boolean {
  if (Object.hasOwn(input.properties, field)) return true;
  const fields = Object.keys(input.properties);
  const near = nearestWord(field, fields);
  const known = fields.length === 0 ? 'The input has no fields' : `The input has ${fields.join(', ')}`;
  report(
    code,
    `${who} ${JSON.stringify(field)}, which is no input field`,
    near === undefined ? known : `Did you mean \`${near}\`?`,
  );
  return false;
}

/** The strings of a list; none of anything else. */
function strings(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((entry: unknown) => typeof entry === 'string') : [];
}
