import { closedObject, nameRule, type ProviderRule, rootRule } from './provider-rule.js';

const FUNCTION =
  'https://docs.rs/crate/openai-client-base/0.12.0/source/docs/ChatCompletionFunctions.md (generated from OpenAI’s OpenAPI document 2.3.0)';
const ROOT = 'https://github.com/goruck/home-generative-agent/pull/545';

/** Functions of the Responses and Chat Completions APIs. */
export const OPENAI_RULES: readonly ProviderRule[] = [
  nameRule(
    {
      id: 'openai/name',
      says: 'A name is a-z, A-Z, 0-9, underscores and dashes, 64 at most.',
      source: FUNCTION,
      read: '2026-11-30',
      refuses: { name: 'orders.find', schema: closedObject({}) },
    },
    /^[a-zA-Z0-9_-]{1,64}$/,
  ),
  rootRule(
    {
      id: 'openai/root',
      says: 'Parameters are a JSON Schema object without a combinator, enum, const or not at the root.',
      source: ROOT,
      read: '2026-11-30',
      refuses: { name: 'find', schema: { type: 'object', anyOf: [closedObject({}), closedObject({})] } },
    },
    ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'],
  ),
];
