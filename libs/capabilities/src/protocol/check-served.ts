import type { CapabilityDefinition } from '../registry/capability-definition.js';
import { CompletionCatalogue } from './completion-catalogue.js';
import { PromptCatalogue } from './prompt-catalogue.js';
import { ResourceCatalogue } from './resource-catalogue.js';
import { ToolCatalogue } from './tool-catalogue.js';

/** The capabilities of one endpoint, by what they are served as. */
export interface ServedParts {
  readonly tools: readonly CapabilityDefinition[];
  readonly resources: readonly CapabilityDefinition[];
  readonly prompts: readonly CapabilityDefinition[];
  readonly completions: readonly CapabilityDefinition[];
}

/** Sorts what is exposed into tools, resources, prompts and completions. */
export function servedParts(
  definitions: readonly CapabilityDefinition[],
  serves: (definition: CapabilityDefinition) => boolean,
): ServedParts {
  const served = definitions.filter((definition) => definition.expose.includes('mcp') && serves(definition));
  const isOther = ({ mcp }: CapabilityDefinition): boolean =>
    mcp.resource !== undefined || mcp.prompt === true || mcp.completion !== undefined;
  return {
    tools: served.filter((definition) => !isOther(definition)),
    resources: served.filter(({ mcp }) => mcp.resource !== undefined),
    prompts: served.filter(({ mcp }) => mcp.prompt === true),
    completions: served.filter(({ mcp }) => mcp.completion !== undefined),
  };
}

/** Why an endpoint cannot serve its capabilities: one sentence for each kind that cannot be built. */
export function servedProblems(parts: ServedParts): readonly string[] {
  const size = Number.MAX_SAFE_INTEGER;
  const attempts: readonly (() => unknown)[] = [
    () => new ToolCatalogue(parts.tools, { outputSchema: true, pageSize: size }),
    () => new ResourceCatalogue(parts.resources, size),
    () => new PromptCatalogue(parts.prompts, size),
    () => new CompletionCatalogue(parts.completions),
  ];
  return attempts.flatMap((attempt) => {
    try {
      attempt();
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
}
