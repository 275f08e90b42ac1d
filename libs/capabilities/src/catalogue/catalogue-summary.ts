import type { CatalogueTool } from './catalogue-tool.js';
import { declarationCost, printDeclarations } from './print-declarations.js';
import { byName, namespaceOf, selectWithinBudget } from './select-within-budget.js';

/** Estimated tokens spent on declarations when nothing is said. */
const DEFAULT_CATALOGUE_BUDGET = 2_000;

/** How much of the catalogue is shown before a model has searched. */
export interface CatalogueBudget {
  /** `'inline'` shows everything, `'search'` nothing but namespaces. `budget` wins over it. */
  readonly placement?: 'inline' | 'search';
  /** Estimated tokens (characters divided by four), an integer of zero or more. Default 2 000. */
  readonly budget?: number;
}

export interface NamespaceSummary {
  readonly namespace: string;
  readonly shown: number;
  readonly total: number;
}

export interface CatalogueSummary {
  readonly complete: boolean;
  readonly shown: number;
  readonly total: number;
  readonly namespaces: readonly NamespaceSummary[];
  /** TypeScript declarations of what is shown; empty when nothing is. */
  readonly declarations: string;
  /** Estimated tokens of what is shown. */
  readonly used: number;
}

/**
 * The estimated tokens that the options allow; `Infinity` for `'inline'`.
 *
 * @throws RangeError for a budget that is not an integer of zero or more.
 */
export function resolveBudget({ placement, budget }: CatalogueBudget = {}): number {
  if (budget !== undefined) {
    if (!Number.isSafeInteger(budget) || budget < 0)
      throw new RangeError('The catalogue budget must be an integer of zero or more.');
    return budget;
  }
  if (placement === 'inline') return Infinity;
  return placement === 'search' ? 0 : DEFAULT_CATALOGUE_BUDGET;
}

/** What a model sees of these tools within a budget: counts for everything, declarations for what fits. */
export function summarizeCatalogue(tools: readonly CatalogueTool[], budget: number): CatalogueSummary {
  const priced = tools.map((tool) => ({ name: tool.name, cost: declarationCost(tool), tool }));
  const { selected, used } = selectWithinBudget(priced, budget);
  return {
    complete: selected.length === tools.length,
    shown: selected.length,
    total: tools.length,
    namespaces: countNamespaces(tools, selected),
    declarations: printDeclarations(selected.map(({ tool }) => tool)),
    used,
  };
}

type Named = Pick<CatalogueTool, 'name'>;

function countNamespaces(all: readonly Named[], shown: readonly Named[]): readonly NamespaceSummary[] {
  const totals = countBy(all);
  const shownCounts = countBy(shown);
  return [...totals].map(([namespace, total]) => ({
    namespace,
    shown: shownCounts.get(namespace) ?? 0,
    total,
  }));
}

function countBy(tools: readonly Named[]): Map<string, number> {
  const counts = new Map<string, number>();
  const namespaces = tools.map(({ name }) => ({ name: namespaceOf(name) })).sort(byName);
  for (const { name } of namespaces) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The summary as text: a status line, a line for each namespace, then the declarations as code. */
export function renderSummary(summary: CatalogueSummary): string {
  const { complete, shown, total, declarations } = summary;
  const status = complete ? `COMPLETE (${total} tools)` : `PARTIAL (${shown} of ${total} tools shown)`;
  const lines = summary.namespaces.map(
    (each) =>
      `- ${each.namespace}: ${each.shown === each.total ? 'COMPLETE' : 'PARTIAL'} (${each.shown} of ${each.total})`,
  );
  const code = declarations === '' ? [] : ['```ts', declarations, '```'];
  return [status, ...lines, ...code].join('\n');
}
