import { type AssistantTool, providerTool } from '../tools/tool-catalogue.js';
import { PROVIDERS, type Provider } from './provider-rule.js';
import { type ProviderProblem, validateTool } from './validate-tool.js';

/** How one tool stands with one provider. */
export interface ProviderVerdict {
  readonly capability: string;
  readonly tool: string;
  readonly provider: Provider;
  /** False where the schema has no form for this provider: it is sent in the plain one. */
  readonly applies: boolean;
  readonly problems: readonly ProviderProblem[];
}

/** One verdict per tool and provider. */
export type ProviderReport = readonly ProviderVerdict[];

export function providerReport(tools: readonly AssistantTool[]): ProviderReport {
  return tools.flatMap((tool) =>
    PROVIDERS.map((provider) => {
      const sent = providerTool(tool, provider);
      const problems = sent === undefined ? [] : validateTool(provider, sent);
      return {
        capability: tool.definition.name,
        tool: tool.name,
        provider,
        applies: sent !== undefined,
        problems,
      };
    }),
  );
}
