import { isRecord } from '../kernel/json.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import type { CallSite } from './call-site.js';
import type { CompletionTarget } from './completion-catalogue.js';
import { legacyResult } from './era-results.js';
import type { McpServer } from './mcp-server.js';
import { runPrimitive } from './primitive-call.js';
import { invalidParams } from './rpc-error.js';

/** Most values in one answer (MCP, "Completion"). */
const MAX_VALUES = 100;

/** `completion/complete`. An argument that nothing completes has no values. */
export async function completeArgument(server: McpServer, site: CallSite): Promise<string> {
  const { argument, context } = site.call.params;
  if (!isRecord(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    throw invalidParams('params.argument must have a name and a value');
  }
  const { target, owner } = targetOf(server, site.call.params['ref']);
  const known = isRecord(context) && isRecord(context['arguments']) ? context['arguments'] : {};
  const completion = server.completions.get(target, argument['name']);
  if (!(await server.sees(site.principal, owner))) throw unknownReference();
  if (completion === undefined) return reply(server, site, []);
  const end = await runPrimitive(server, site, {
    definition: completion,
    asked: completion.name,
    input: { value: argument['value'], arguments: known },
    notFound: unknownReference(),
  });
  return end.kind === 'reply'
    ? end.result
    : reply(server, site, Array.isArray(end.output) ? end.output.map(String) : []);
}

function reply(server: McpServer, site: CallSite, values: readonly string[]): string {
  const completion = {
    values: values.slice(0, MAX_VALUES),
    total: values.length,
    hasMore: values.length > MAX_VALUES,
  };
  const members = `"completion":${JSON.stringify(completion)}`;
  return site.era === 'modern' ? server.results.complete({ members }) : legacyResult({ members });
}

const unknownReference = () => invalidParams('Unknown reference');

/** What is completed, and the prompt or resource it belongs to. */
function targetOf(
  server: McpServer,
  ref: unknown,
): { readonly target: CompletionTarget; readonly owner: CapabilityDefinition } {
  if (!isRecord(ref)) throw invalidParams('params.ref must be an object');
  const { type, name, uri } = ref;
  if (type === 'ref/prompt' && typeof name === 'string') {
    const owner = server.prompts.get(name);
    if (owner !== undefined) return { target: { kind: 'prompt', name }, owner };
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    const owner = server.resources.template(uri);
    if (owner !== undefined) return { target: { kind: 'template', uriTemplate: uri }, owner };
  }
  throw unknownReference();
}
