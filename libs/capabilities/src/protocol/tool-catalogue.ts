import type { CapabilityDefinition } from '../registry/capability-definition.js';
import { ListPages, type ListPage } from './list-pages.js';
import { capabilityToListEntry, toolEntry, type ToolEntry } from './tool-entry.js';

/** The tools of one endpoint: found by name in one step, listed from memory. */
export class ToolCatalogue {
  private readonly byName: ReadonlyMap<string, ToolEntry>;
  private readonly pages: Readonly<Record<'modern' | 'legacy', ListPages<CapabilityDefinition>>>;

  /** Throws `TypeError` when two capabilities map to one name, or for a bad annotation. */
  constructor(
    definitions: readonly CapabilityDefinition[],
    options: { readonly outputSchema: boolean; readonly pageSize: number },
  ) {
    const byName = new Map<string, ToolEntry>();
    for (const definition of definitions) {
      const entry = toolEntry(definition);
      const other = byName.get(entry.name);
      if (other !== undefined) {
        throw new TypeError(
          `${other.definition.name} and ${definition.name} are both the tool ${entry.name}; rename one of them.`,
        );
      }
      byName.set(entry.name, entry);
    }
    this.byName = byName;
    const pages = (era: 'modern' | 'legacy'): ListPages<CapabilityDefinition> =>
      new ListPages(
        'tools',
        definitions,
        (definition) =>
          JSON.stringify(capabilityToListEntry(definition, { era, outputSchema: options.outputSchema })),
        options.pageSize,
      );
    this.pages = { modern: pages('modern'), legacy: pages('legacy') };
  }

  get size(): number {
    return this.byName.size;
  }

  /** True when some tool can run as a task. */
  get hasTasks(): boolean {
    return [...this.byName.values()].some(({ task }) => task !== undefined);
  }

  /** The tool of that exact mapped name. */
  get(name: string): ToolEntry | undefined {
    return this.byName.get(name);
  }

  /** One serialized page of what a caller may see. Throws {@link RpcError} for a bad cursor. */
  list(visible: readonly CapabilityDefinition[], era: 'modern' | 'legacy', cursor: unknown): ListPage {
    return this.pages[era].page(visible, cursor);
  }
}
