import { ANTHROPIC_RULES } from './anthropic-rules.js';
import { GEMINI_RULES } from './gemini-rules.js';
import { OPENAI_RULES } from './openai-rules.js';
import { OPENAI_STRICT_RULES } from './openai-strict-rules.js';
import type { Provider, ProviderRule, ProviderTool } from './provider-rule.js';

/** Every documented limit that is known, by provider. */
export const PROVIDER_RULES: Readonly<Record<Provider, readonly ProviderRule[]>> = Object.freeze({
  openai: OPENAI_RULES,
  'openai-strict': [...OPENAI_RULES, ...OPENAI_STRICT_RULES],
  anthropic: ANTHROPIC_RULES,
  gemini: GEMINI_RULES,
});

/** A documented limit that a tool does not keep. */
export interface ProviderProblem {
  readonly rule: string;
  readonly problem: string;
  readonly source: string;
}

/** Checks a tool against everything a provider documents, without asking the provider. */
export function validateTool(provider: Provider, tool: ProviderTool): readonly ProviderProblem[] {
  return PROVIDER_RULES[provider].flatMap((rule) => {
    const problem = rule.check(tool);
    return problem === undefined ? [] : [{ rule: rule.id, problem, source: rule.source }];
  });
}
