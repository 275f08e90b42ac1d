import type { DeclarationProblem } from '../../contract/declaration-problem.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import { type AssistantSurfaceOptions, unknownProviders } from './assistant-options.js';
import type { Provider } from './providers/provider-rule.js';
import { validateTool } from './providers/validate-tool.js';
import { assistantTool, type AssistantTool, providerTool } from './tools/tool-catalogue.js';

/** Everything that keeps the surface from starting. `imported` says how many modules there are. */
export function assistantProblems(
  surface: string,
  options: AssistantSurfaceOptions & { readonly imported: number },
  definitions: readonly CapabilityDefinition[],
): readonly DeclarationProblem[] {
  const unknown = unknownProviders(options);
  const tools = definitions.filter(({ expose }) => expose.includes('assistant')).map(assistantTool);
  const own = { capability: surface, className: surface, methodName: '' };
  return [
    ...(options.imported > 1 ? [{ ...own, ...REPEATED }] : []),
    ...unknown.map((name) => ({
      ...own,
      code: 'OPTION_INVALID' as const,
      problem: `providers names ${JSON.stringify(name)}`,
      remedy: 'Name openai, openai-strict, anthropic or gemini',
    })),
    ...nameProblems(tools),
    ...(unknown.length > 0 ? [] : tools.flatMap((tool) => limitProblems(tool, options.providers ?? []))),
  ];
}

const REPEATED = {
  code: 'MODULE_REPEATED',
  problem: 'it is imported several times, so that conversations would be kept in several places',
  remedy: 'Import it once in the root module (it is global)',
} as const;

function nameProblems(tools: readonly AssistantTool[]): readonly DeclarationProblem[] {
  const taken = new Map<string, AssistantTool>();
  return tools.flatMap((tool) => {
    const { name, definition } = tool;
    const other = taken.get(name);
    taken.set(name, tool);
    const problem =
      other !== undefined
        ? `it and ${other.definition.name} are both the tool ${name}`
        : name.length > 64
          ? `its tool name ${name} has ${name.length} characters, 64 are allowed`
          : undefined;
    if (problem === undefined) return [];
    return [{ ...placeOf(definition), code: 'NAME_COLLISION' as const, problem, remedy: 'Rename it' }];
  });
}

function limitProblems(tool: AssistantTool, providers: readonly Provider[]): readonly DeclarationProblem[] {
  return providers.flatMap((provider) => {
    const sent = providerTool(tool, provider);
    return (sent === undefined ? [] : validateTool(provider, sent)).map(({ rule, problem, source }) => ({
      ...placeOf(tool.definition),
      code: 'ASSISTANT_INVALID' as const,
      problem: `${problem} breaks ${rule}`,
      remedy: `Change the input schema; the limit is documented at ${source}`,
    }));
  });
}

function placeOf({ name, source }: CapabilityDefinition) {
  return { capability: name, className: source.className, methodName: source.methodName };
}
