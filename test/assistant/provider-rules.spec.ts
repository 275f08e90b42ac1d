import { PROVIDER_RULES, PROVIDERS, type ProviderTool, validateTool } from 'nest-capabilities/assistant';

const rules = PROVIDERS.flatMap((provider) =>
  PROVIDER_RULES[provider].map((rule) => ({ provider, rule, id: rule.id })),
);

const FINE: ProviderTool = {
  name: 'orders_find',
  schema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Order id.' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
    required: ['id', 'tags'],
    additionalProperties: false,
  },
};

describe.each(rules)('$id for $provider', ({ provider, rule }) => {
  it('refuses the tool that it must refuse, and no good one', () => {
    expect(rule.check(rule.refuses)).toEqual(expect.any(String));
    expect(validateTool(provider, rule.refuses).map(({ rule: id }) => id)).toContain(rule.id);
    expect(rule.check(FINE)).toBeUndefined();
  });

  it('says what it asks, where that is written and when it was read', () => {
    expect(rule.says).not.toBe('');
    expect(rule.source).toMatch(/^https:\/\//);
    expect(rule.read).toMatch(/^20\d\d-\d\d-\d\d$/);
  });
});

it('a tool that keeps every limit has no problem with any provider', () => {
  expect(PROVIDERS.flatMap((provider) => validateTool(provider, FINE))).toEqual([]);
});
