import type { CapabilityDefinition } from '../registry/capability-definition.js';
import { ListPages, type ListPage } from './list-pages.js';
import { compileUriTemplate, type UriTemplate } from './uri-template.js';

/** A resource address and the capability behind it. */
export interface FoundResource {
  readonly definition: CapabilityDefinition;
  /** The variables of a templated address; empty for a fixed one. */
  readonly variables: Readonly<Record<string, string>>;
}

interface Templated {
  readonly definition: CapabilityDefinition;
  readonly template: UriTemplate;
}

const NO_VARIABLES: Readonly<Record<string, string>> = Object.freeze({});

/** The resources of one endpoint, fixed and templated. */
export class ResourceCatalogue {
  private readonly fixed = new Map<string, CapabilityDefinition>();
  private readonly templated: readonly Templated[];
  private readonly fixedPages: ListPages<CapabilityDefinition>;
  private readonly templatePages: ListPages<CapabilityDefinition>;

  /** Throws `TypeError` when an address is missing, doubled or malformed. */
  constructor(definitions: readonly CapabilityDefinition[], pageSize: number) {
    const templates: Templated[] = [];
    for (const definition of definitions) {
      const { uri, uriTemplate } = definition.mcp.resource ?? {};
      if ((uri === undefined) === (uriTemplate === undefined)) {
        throw new TypeError(`${definition.name}: a resource needs either \`uri\` or \`uriTemplate\`.`);
      }
      if (uriTemplate !== undefined) templates.push(templatedOf(definition, uriTemplate));
      if (uri !== undefined) this.addFixed(uri, definition);
    }
    this.templated = templates;
    const fixed = [...this.fixed.values()];
    const templatedOnes = templates.map(({ definition }) => definition);
    this.fixedPages = new ListPages('resources', fixed, resourceEntry, pageSize);
    this.templatePages = new ListPages('resourceTemplates', templatedOnes, resourceEntry, pageSize);
  }

  private addFixed(uri: string, definition: CapabilityDefinition): void {
    const other = this.fixed.get(uri);
    if (other !== undefined)
      throw new TypeError(`${other.name} and ${definition.name} are both the resource ${uri}.`);
    this.fixed.set(uri, definition);
  }

  get size(): number {
    return this.fixed.size + this.templated.length;
  }

  get subscribable(): boolean {
    const all = [...this.fixed.values(), ...this.templated.map(({ definition }) => definition)];
    return all.some(({ mcp }) => mcp.resource?.subscribe === true);
  }

  /** Fixed addresses first, then templates in the order of their names. */
  find(uri: string): FoundResource | undefined {
    const definition = this.fixed.get(uri);
    if (definition !== undefined) return { definition, variables: NO_VARIABLES };
    for (const { definition: candidate, template } of this.templated) {
      const variables = template.match(uri);
      if (variables !== undefined) return { definition: candidate, variables };
    }
    return undefined;
  }

  /** The resource of exactly that template. */
  template(uriTemplate: string): CapabilityDefinition | undefined {
    return this.templated.find(({ definition }) => definition.mcp.resource?.uriTemplate === uriTemplate)
      ?.definition;
  }

  list(visible: readonly CapabilityDefinition[], cursor: unknown): ListPage {
    return this.fixedPages.page(visible, cursor);
  }

  listTemplates(visible: readonly CapabilityDefinition[], cursor: unknown): ListPage {
    return this.templatePages.page(visible, cursor);
  }
}

/** Throws `TypeError` when a variable of the template is no input field. */
function templatedOf(definition: CapabilityDefinition, uriTemplate: string): Templated {
  const template = compileUriTemplate(uriTemplate);
  for (const name of template.variables) {
    if (!Object.hasOwn(definition.input.properties, name)) {
      throw new TypeError(`${definition.name}: the input has no field for {${name}} of ${uriTemplate}.`);
    }
  }
  return { definition, template };
}

function resourceEntry({ name, title, description, mcp }: CapabilityDefinition): string {
  const { uri, uriTemplate, mimeType, size } = mcp.resource ?? {};
  return JSON.stringify({ uri, uriTemplate, name, title, description, mimeType, size, icons: mcp.icons });
}
