import fc from 'fast-check';
import ts from 'typescript';
import type { JsonSchema } from '../kernel/json.js';
import { renderSummary, resolveBudget, summarizeCatalogue } from './catalogue-summary.js';
import type { CatalogueTool } from './catalogue-tool.js';
import { declarationCost, printDeclarations } from './print-declarations.js';
import { printType } from './print-type.js';
import { searchTools } from './search-tools.js';
import { namespaceOf, selectWithinBudget } from './select-within-budget.js';

const NONE: JsonSchema = { type: 'object', properties: {} };

const tool = (name: string, more: Partial<CatalogueTool> = {}): CatalogueTool => ({
  name,
  description: `Does ${name}.`,
  readOnly: true,
  destructive: false,
  needsApproval: false,
  input: NONE,
  output: { type: 'string' },
  failures: [],
  ...more,
});

const print = (schema: unknown): string => printType(schema, () => undefined);

/** Syntax errors of a declaration file. */
function syntaxErrors(declarations: string): readonly string[] {
  const { diagnostics = [] } = ts.transpileModule(declarations, { reportDiagnostics: true });
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('printing JSON Schema as TypeScript', () => {
  it.each<[unknown, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: 'a' }, '"a"'],
    [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
    [{ not: {} }, 'never'],
    [false, 'never'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [{ type: 'string' }, { not: {} }] }, 'string'],
    [
      { allOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'number' }] },
      '(string | null) & number',
    ],
    [{ type: 'array', items: { type: 'string' } }, 'ReadonlyArray<string>'],
    [{ type: 'array' }, 'ReadonlyArray<unknown>'],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      'readonly [string, number]',
    ],
    [NONE, '{}'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ readonly [key: string]: number }'],
    [{ $ref: '#/$defs/Missing' }, 'unknown'],
    [{ type: 'strange' }, 'unknown'],
    ['nonsense', 'unknown'],
    [true, 'unknown'],
  ])('%j is %s', (schema, expected) => expect(print(schema)).toBe(expected));

  it('marks optional members, quotes keys and carries descriptions', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string', description: 'The id */ of it.' }, 'x-y': { type: 'number' } },
      required: ['id'],
    };
    expect(print(schema)).toBe('{ /** The id *\\/ of it. */ readonly id: string; readonly "x-y"?: number; }');
  });
});

describe('declarations', () => {
  const money = (extra: JsonSchema = {}): JsonSchema => ({
    type: 'object',
    properties: { price: { $ref: '#/$defs/Money' } },
    required: ['price'],
    $defs: { Money: { type: 'object', properties: { amount: { type: 'number' }, ...extra }, required: [] } },
  });

  it('declares every tool once, with what a caller must know', () => {
    const text = printDeclarations([
      tool('orders.cancel', {
        readOnly: false,
        destructive: true,
        needsApproval: true,
        input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        failures: [{ tag: 'Closed', fields: { type: 'object', properties: { at: { type: 'string' } } } }],
      }),
      tool('ping'),
    ]);
    expect(text).toBe(`declare const tools: {
  /**
   * Does orders.cancel.
   * Destructive.
   * Needs approval.
   * @throws ({ readonly _tag: "Closed"; } & { readonly at?: string; })
   */
  "orders.cancel"(input: { readonly id: string; }): Promise<string>;
  /**
   * Does ping.
   * Read-only.
   */
  ping(input?: {}): Promise<string>;
};`);
    expect(syntaxErrors(text)).toEqual([]);
  });

  it('shares equal definitions and tells different ones of one name apart', () => {
    const text = printDeclarations([
      tool('a', { input: money() }),
      tool('b', { input: money() }),
      tool('c', { input: money({ currency: { type: 'string' } }) }),
    ]);
    expect(text.match(/^type .*$/gm)).toEqual([
      'type Money = { readonly amount?: number; };',
      'type Money2 = { readonly amount?: number; readonly currency?: string; };',
    ]);
    expect(text).toContain('c(input: { readonly price: Money2; })');
    expect(syntaxErrors(text)).toEqual([]);
  });

  it('tells definitions apart by what they refer to', () => {
    const nested = (inner: JsonSchema): JsonSchema => ({
      $ref: '#/$defs/Outer',
      $defs: {
        Outer: { type: 'object', properties: { inner: { $ref: '#/$defs/Inner' } } },
        Inner: inner,
      },
    });
    const text = printDeclarations([
      tool('a', { output: nested({ type: 'string' }) }),
      tool('b', { output: nested({ type: 'number' }) }),
    ]);
    expect(text).toContain('a(input?: {}): Promise<Outer>');
    expect(text).toContain('b(input?: {}): Promise<Outer2>');
    expect(text).toContain('type Outer2 = { readonly inner?: Inner2; };');
  });

  it('prints recursive definitions, and names that are no identifiers or taken', () => {
    const tree: JsonSchema = {
      $ref: '#/$defs/Tree%20node',
      $defs: {
        'Tree node': {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree%20node' } } },
        },
      },
    };
    const taken: JsonSchema = { $ref: '#/$defs/string', $defs: { string: { type: 'number' } } };
    const text = printDeclarations([tool('a', { output: tree }), tool('b', { output: taken })]);
    expect(text).toContain('type Tree_node = { readonly children?: ReadonlyArray<Tree_node>; };');
    expect(text).toContain('type string2 = number;');
    expect(syntaxErrors(text)).toEqual([]);
  });
});

const names = fc.uniqueArray(fc.stringMatching(/^[a-c]\.[a-z]{1,4}$|^[a-z]{1,4}$/), {
  minLength: 1,
  maxLength: 20,
});
const priced = names.chain((list) =>
  fc
    .array(fc.integer({ min: 1, max: 40 }), { minLength: list.length, maxLength: list.length })
    .map((costs) => list.map((name, index) => ({ name, cost: costs[index]! }))),
);

describe('the budget', () => {
  it('is never exceeded, and does not depend on the order of the entries', () => {
    fc.assert(
      fc.property(priced, fc.integer({ min: 0, max: 200 }), (entries, budget) => {
        const { selected, used } = selectWithinBudget(entries, budget);
        expect(used).toBeLessThanOrEqual(budget);
        expect(used).toBe(selected.reduce((sum, { cost }) => sum + cost, 0));
        expect(selectWithinBudget(entries.toReversed(), budget)).toEqual({ selected, used });
      }),
    );
  });

  it('shows every affordable namespace once before any a second time', () => {
    fc.assert(
      fc.property(priced, fc.integer({ min: 0, max: 200 }), (entries, budget) => {
        const { selected } = selectWithinBudget(entries, budget);
        const count = (namespace: string): number =>
          selected.filter(({ name }) => namespaceOf(name) === namespace).length;
        const namespaces = [...new Set(entries.map(({ name }) => namespaceOf(name)))].sort();
        let first = 0;
        for (const namespace of namespaces) {
          const own = entries.filter(({ name }) => namespaceOf(name) === namespace);
          const cheapest = Math.min(...own.map(({ cost }) => cost));
          if (first + cheapest > budget) expect(count(namespace)).toBe(0);
          else {
            expect(count(namespace)).toBeGreaterThanOrEqual(1);
            first += cheapest;
          }
        }
      }),
    );
  });

  it('takes an entry that fits exactly, and everything without a limit', () => {
    const entries = [
      { name: 'a.x', cost: 5 },
      { name: 'b.y', cost: 5 },
    ];
    expect(selectWithinBudget(entries, 10).selected).toHaveLength(2);
    expect(selectWithinBudget(entries, 9).selected.map(({ name }) => name)).toEqual(['a.x']);
    expect(selectWithinBudget(entries, Infinity).selected).toHaveLength(2);
  });

  it('of zero lists namespaces only', () => {
    const summary = summarizeCatalogue([tool('orders.find'), tool('orders.list'), tool('ping')], 0);
    expect(summary).toEqual({
      complete: false,
      shown: 0,
      total: 3,
      namespaces: [
        { namespace: 'orders', shown: 0, total: 2 },
        { namespace: 'tools', shown: 0, total: 1 },
      ],
      declarations: '',
      used: 0,
    });
    expect(renderSummary(summary)).toBe(
      'PARTIAL (0 of 3 tools shown)\n- orders: PARTIAL (0 of 2)\n- tools: PARTIAL (0 of 1)',
    );
  });

  it('counts complete standalone declarations, in characters divided by four', () => {
    const tools = [tool('orders.find'), tool('orders.list')];
    const summary = summarizeCatalogue(tools, Infinity);
    expect(declarationCost(tools[0]!)).toBe(printDeclarations([tools[0]!]).length / 4);
    expect(summary.used).toBe(declarationCost(tools[0]!) + declarationCost(tools[1]!));
    expect(renderSummary(summary)).toContain('COMPLETE (2 tools)');
    expect(renderSummary(summary)).toContain(printDeclarations(tools));
  });

  it('is 2000 tokens by default; a number wins over a placement', () => {
    expect(resolveBudget()).toBe(2_000);
    expect(resolveBudget({ placement: 'inline' })).toBe(Infinity);
    expect(resolveBudget({ placement: 'search' })).toBe(0);
    expect(resolveBudget({ placement: 'search', budget: 7 })).toBe(7);
    expect(() => resolveBudget({ budget: 1.5 })).toThrow(RangeError);
    expect(() => resolveBudget({ budget: -1 })).toThrow(RangeError);
  });
});

describe('search', () => {
  const found = (query: string, tools: readonly CatalogueTool[]): readonly string[] =>
    searchTools(tools, { query, limit: 100 }).matches.map(({ name }) => name);

  it('ranks segment over substring over description over input', () => {
    const input: JsonSchema = { type: 'object', properties: { invoice: { type: 'string' } } };
    const tools = [
      tool('d.four', { description: 'Nothing.', input }),
      tool('c.three', { description: 'Sends an invoice.' }),
      tool('b.invoicing', { description: 'Nothing.' }),
      tool('a.invoice', { description: 'Nothing.' }),
    ];
    const { matches } = searchTools(tools, { query: 'invoice' });
    expect(matches.map(({ name, score }) => [name, score])).toEqual([
      ['a.invoice', 28],
      ['c.three', 4],
      ['d.four', 2],
    ]);
    expect(found('invoic', tools)).toEqual(['a.invoice', 'b.invoicing', 'c.three', 'd.four']);
  });

  it.each(['orders.find', ' tools.orders.find ', 'tools["orders.find"]'])(
    'isolates the exact name %s',
    (query) => expect(found(query, [tool('orders.find'), tool('orders.find.all')])).toEqual(['orders.find']),
  );

  it('splits words of a query, forgives plurals, and finds nothing for strangers', () => {
    const tools = [tool('orders.box', { description: 'X.' }), tool('ping', { description: 'X.' })];
    expect(found('boxes', tools)).toEqual(['orders.box']);
    expect(found('findOrders', tools)).toEqual(['orders.box']);
    expect(found('zebra', tools)).toEqual([]);
    expect(found('...', tools)).toEqual([]);
  });

  it('finds everything for an empty query, and partitions it into pages of five', () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 7 }), (list, limit) => {
        const tools = list.map((name) => tool(name));
        const seen: string[] = [];
        let offset = 0;
        for (;;) {
          const page = searchTools(tools.toReversed(), { limit, offset });
          expect(page.total).toBe(tools.length);
          expect(page.remaining).toBe(tools.length - offset - page.matches.length);
          seen.push(...page.matches.map(({ name }) => name));
          if (page.next === null) break;
          ({ offset } = page.next);
        }
        expect(seen).toEqual(list.toSorted());
      }),
    );
    expect(searchTools(Array.from({ length: 9 }, (_, index) => tool(`t${index}`))).matches).toHaveLength(5);
  });

  it('reports the size of the catalogue, not the number of matches', () => {
    expect(searchTools([tool('orders.find'), tool('ping')], { query: 'ping' })).toMatchObject({
      total: 2,
      remaining: 0,
      next: null,
    });
  });
});
