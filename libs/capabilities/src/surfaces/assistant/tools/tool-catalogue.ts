import type { JsonSchema } from '../../../kernel/json.js';
import type { CapabilityDefinition } from '../../../registry/capability-definition.js';
import type { CapabilityRegistry } from '../../../registry/capability-registry.js';
import { geminiSchema } from '../providers/gemini-schema.js';
import type { Provider, ProviderTool } from '../providers/provider-rule.js';
import { strictSchema } from '../providers/strict-schema.js';
import { validateTool } from '../providers/validate-tool.js';
import { assistantToolName } from './tool-name.js';

/** A capability as a tool; every schema is worked out once. */
export interface AssistantTool {
  readonly definition: CapabilityDefinition;
  readonly name: string;
  readonly description: string;
  /** The portable schema: what MCP and most providers take. */
  readonly schema: JsonSchema;
  /** For OpenAI's strict mode; undefined where the schema has no strict form within the limits. */
  readonly strict: JsonSchema | undefined;
  readonly gemini: JsonSchema;
}

/** What a capability is as a tool. */
export function assistantTool(definition: CapabilityDefinition): AssistantTool {
  const { description, deprecated, input } = definition;
  const note =
    deprecated === false ? '' : deprecated === true ? ' (deprecated)' : ` (deprecated: ${deprecated})`;
  const name = assistantToolName(definition.name);
  return Object.freeze({
    definition,
    name,
    description: `${description}${note}`,
    schema: input.portable,
    strict: strictForm({ name, schema: input.portable }),
    gemini: geminiSchema(input.portable),
  });
}

/** A strict form that breaks a limit is none: the tool would take the whole request down. */
function strictForm({ name, schema }: ProviderTool): JsonSchema | undefined {
  const strict = strictSchema(schema);
  if (strict === undefined || validateTool('openai-strict', { name, schema: strict }).length > 0)
    return undefined;
  return strict;
}

/** The tool in the form that a provider receives; undefined where it has none of that form. */
export function providerTool(tool: AssistantTool, provider: Provider): ProviderTool | undefined {
  const { name } = tool;
  const schema =
    provider === 'openai-strict' ? tool.strict : provider === 'gemini' ? tool.gemini : tool.schema;
  return schema === undefined ? undefined : { name, schema };
}

/** The tools of an application, found by name in one step. */
export class ToolCatalogue {
  private byName: ReadonlyMap<string, AssistantTool> | undefined;
  private byDefinition: ReadonlyMap<CapabilityDefinition, AssistantTool> | undefined;

  constructor(private readonly registry: CapabilityRegistry) {}

  /** The tool of that exact name; no other spelling of a capability is one. */
  get(name: string): AssistantTool | undefined {
    return this.fill().byName.get(name);
  }

  /** The tools of these capabilities, in their order. */
  of(definitions: readonly CapabilityDefinition[]): readonly AssistantTool[] {
    const { byDefinition } = this.fill();
    return definitions.flatMap((definition) => byDefinition.get(definition) ?? []);
  }

  /** Every tool, ordered by the name of its capability. */
  all(): readonly AssistantTool[] {
    return [...this.fill().byDefinition.values()];
  }

  /** The registry is complete once modules are initialised. */
  private fill(): {
    readonly byName: ReadonlyMap<string, AssistantTool>;
    readonly byDefinition: ReadonlyMap<CapabilityDefinition, AssistantTool>;
  } {
    if (this.byName === undefined || this.byDefinition === undefined) {
      if (!this.registry.isSealed)
        throw new TypeError('The tools exist once the application is initialised.');
      const tools = this.registry.exposedOn('assistant').map(assistantTool);
      this.byName = new Map(tools.map((tool) => [tool.name, tool]));
      this.byDefinition = new Map(tools.map((tool) => [tool.definition, tool]));
    }
    return { byName: this.byName, byDefinition: this.byDefinition };
  }
}
