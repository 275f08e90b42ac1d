import { mapName } from '../contract/capability-name.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import { ListPages, type ListPage } from './list-pages.js';

/** The prompts of one endpoint. */
export class PromptCatalogue {
  private readonly byName: ReadonlyMap<string, CapabilityDefinition>;
  private readonly pages: ListPages<CapabilityDefinition>;

  /** Throws `TypeError` when two prompts map to one name. */
  constructor(definitions: readonly CapabilityDefinition[], pageSize: number) {
    const byName = new Map<string, CapabilityDefinition>();
    for (const definition of definitions) {
      const name = mapName(definition.name);
      const other = byName.get(name);
      if (other !== undefined) {
        throw new TypeError(
          `${other.name} and ${definition.name} are both the prompt ${name}; rename one of them.`,
        );
      }
      byName.set(name, definition);
    }
    this.byName = byName;
    this.pages = new ListPages('prompts', definitions, promptEntry, pageSize);
  }

  get size(): number {
    return this.byName.size;
  }

  get(name: string): CapabilityDefinition | undefined {
    return this.byName.get(name);
  }

  list(visible: readonly CapabilityDefinition[], cursor: unknown): ListPage {
    return this.pages.page(visible, cursor);
  }
}

function promptEntry({ name, title, description, input, mcp }: CapabilityDefinition): string {
  const fields = Object.entries(input.properties).map(([field, schema]) => ({
    name: field,
    title: schema['title'],
    description: schema['description'],
    required: input.required.has(field),
  }));
  return JSON.stringify({
    name: mapName(name),
    title,
    description,
    ...(fields.length === 0 ? {} : { arguments: fields }),
    icons: mcp.icons,
  });
}
