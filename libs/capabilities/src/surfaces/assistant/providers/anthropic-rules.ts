import { isRecord } from '../../../kernel/json.js';
import { closedObject, nameRule, type ProviderRule, rootRule } from './provider-rule.js';

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Tools of the Messages API. */
export const ANTHROPIC_RULES: readonly ProviderRule[] = [
  nameRule(
    {
      id: 'anthropic/name',
      says: 'A name matches ^[a-zA-Z0-9_-]{1,128}$.',
      source: 'https://platform.claude.com/docs/agents-and-tools/tool-use/define-tools',
      read: '2026-11-30',
      refuses: { name: 'orders.find', schema: closedObject({}) },
    },
    /^[a-zA-Z0-9_-]{1,128}$/,
  ),
  rootRule(
    {
      id: 'anthropic/root',
      says: 'The root of input_schema is an object without oneOf, allOf or anyOf.',
      source: 'https://github.com/anthropics/claude-code/issues/27337',
      read: '2026-11-30',
      refuses: { name: 'find', schema: { type: 'object', oneOf: [closedObject({}), closedObject({})] } },
    },
    ['oneOf', 'allOf', 'anyOf'],
  ),
  {
    id: 'anthropic/property-names',
    says: 'Names of properties match ^[a-zA-Z0-9_.-]{1,64}$.',
    source: 'https://github.com/anthropics/claude-code/issues/79418',
    read: '2026-11-30',
    refuses: { name: 'find', schema: closedObject({ 'filter[id]': { type: 'string' } }) },
    check: ({ schema: { properties } }) => {
      const bad = Object.keys(isRecord(properties) ? properties : {}).find((name) => !KEY.test(name));
      return bad === undefined ? undefined : `the property ${JSON.stringify(bad)}`;
    },
  },
];
