/** What a selection looks at. */
export interface Priced {
  readonly name: string;
  /** Estimated tokens. */
  readonly cost: number;
}

export interface Selection<T extends Priced> {
  /** Ordered by name. */
  readonly selected: readonly T[];
  /** Sum of the selected costs. */
  readonly used: number;
}

/** The text before the first dot; tools without one are in the namespace `tools`. */
export function namespaceOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? 'tools' : name.slice(0, dot);
}

/**
 * Chooses what to show in full within a token budget. In rounds, every namespace (by name) offers its
 * cheapest remaining entry; one that does not fit takes its namespace out, the others go on. The answer
 * does not depend on the order of `entries`.
 */
export function selectWithinBudget<T extends Priced>(entries: readonly T[], budget: number): Selection<T> {
  const queues = namespaceQueues(entries);
  const selected: T[] = [];
  let used = 0;
  while (queues.size > 0) {
    for (const [namespace, queue] of queues) {
      const offer = queue.shift();
      if (offer === undefined || used + offer.cost > budget) {
        queues.delete(namespace);
        continue;
      }
      selected.push(offer);
      used += offer.cost;
    }
  }
  return { selected: selected.sort(byName), used };
}

function namespaceQueues<T extends Priced>(entries: readonly T[]): Map<string, T[]> {
  const queues = new Map<string, T[]>();
  const byCost = (a: T, b: T): number => a.cost - b.cost || byName(a, b);
  for (const entry of [...entries].sort(byCost)) {
    const namespace = namespaceOf(entry.name);
    queues.set(namespace, [...(queues.get(namespace) ?? []), entry]);
  }
  return new Map([...queues].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Orders by name, in UTF-16 code units. */
export function byName(a: Pick<Priced, 'name'>, b: Pick<Priced, 'name'>): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
