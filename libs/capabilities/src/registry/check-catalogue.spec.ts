import type { CapabilityOptions } from '../contract/capability-options.js';
import { allow } from '../contract/policy-rule.js';
import { type CatalogueEntry, checkCatalogue } from './check-catalogue.js';

const entry = (
  className: string,
  options: Partial<CapabilityOptions>,
  moduleName?: string,
): CatalogueEntry => ({
  options: { description: 'It.', expose: ['rest'], ...options },
  source: { className, methodName: 'it', moduleName },
});
const policy = { name: 'hours', phase: 'access', evaluate: allow } as const;

describe('checkCatalogue', () => {
  it('finds nothing wrong with distinct capabilities, nor with ill-formed ones that others report', () => {
    const entries = [
      entry('A', { name: 'a.b', http: { path: '/a/:id' } }),
      entry('B', { name: 'a.c', http: { path: '/a/:id', method: 'GET' }, policies: [policy] }),
      entry('C', { name: undefined }),
      { ...entry('D', {}), options: undefined as never },
    ];
    expect(checkCatalogue(entries, [{ ...policy, name: 'other' }])).toEqual([]);
  });

  it('names both classes of a duplicate name, and their modules', () => {
    const problems = checkCatalogue([
      entry('A', { name: 'dup' }, 'OneModule'),
      entry('B', { name: 'dup' }, 'TwoModule'),
    ]);
    expect(problems).toMatchObject([{ code: 'NAME_DUPLICATE', capability: 'dup', className: 'B' }]);
    expect(problems[0]?.problem).toContain('A.it in OneModule');
  });

  it('names both capabilities of a collision after mapping', () => {
    const problems = checkCatalogue([entry('A', { name: 'a.b_c' }), entry('B', { name: 'a_b.c' })]);
    expect(problems).toMatchObject([{ code: 'NAME_COLLISION', capability: 'a_b.c' }]);
    expect(problems[0]?.problem).toMatch(/a\.b_c.*a_b_c/);
  });

  it('finds routes that match the same requests', () => {
    const twice = [
      entry('A', { name: 'a', http: { path: '/orders/:id' } }),
      entry('B', { name: 'b', http: { path: '/orders/:orderId', method: 'POST' } }),
    ];
    expect(checkCatalogue(twice)).toMatchObject([{ code: 'ROUTE_DUPLICATE', capability: 'b' }]);
    expect(
      checkCatalogue([twice[0]!, entry('B', { name: 'b', http: { path: '/orders/:id', version: '2' } })]),
    ).toEqual([]);
    expect(
      checkCatalogue([twice[0]!, entry('B', { name: 'b', expose: [], http: { path: '/orders/:id' } })]),
    ).toEqual([]);
  });

  it('finds ill-formed and repeated policies among the global ones and across levels', () => {
    const problems = checkCatalogue(
      [entry('A', { name: 'a', policies: [policy] })],
      [policy, { ...policy }, { ...policy, name: 'x', phase: 'soon' }],
    );
    expect(problems.map(({ code, capability }) => [code, capability])).toEqual([
      ['POLICY_INVALID', 'forRoot({ policies })'],
      ['POLICY_DUPLICATE', 'forRoot({ policies })'],
      ['POLICY_DUPLICATE', 'a'],
    ]);
  });
});
