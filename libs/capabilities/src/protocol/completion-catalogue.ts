import { mapName } from '../contract/capability-name.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';

/** What is completed: an argument of a prompt (by listed name) or of a resource template. */
export type CompletionTarget =
  | { readonly kind: 'prompt'; readonly name: string }
  | { readonly kind: 'template'; readonly uriTemplate: string };

/** The argument completions of one endpoint. */
export class CompletionCatalogue {
  private readonly byKey = new Map<string, CapabilityDefinition>();

  /** Throws `TypeError` when a completion names no target, or two complete one argument. */
  constructor(definitions: readonly CapabilityDefinition[]) {
    for (const definition of definitions) {
      const { prompt, uriTemplate, argument = '' } = definition.mcp.completion ?? {};
      if ((prompt === undefined) === (uriTemplate === undefined)) {
        throw new TypeError(`${definition.name}: a completion needs either \`prompt\` or \`uriTemplate\`.`);
      }
      const target: CompletionTarget =
        prompt === undefined
          ? { kind: 'template', uriTemplate: uriTemplate ?? '' }
          : { kind: 'prompt', name: mapName(prompt) };
      const key = keyOf(target, argument);
      const other = this.byKey.get(key);
      if (other !== undefined)
        throw new TypeError(`${other.name} and ${definition.name} complete the same argument.`);
      this.byKey.set(key, definition);
    }
  }

  get size(): number {
    return this.byKey.size;
  }

  get(target: CompletionTarget, argument: string): CapabilityDefinition | undefined {
    return this.byKey.get(keyOf(target, argument));
  }
}

function keyOf(target: CompletionTarget, argument: string): string {
  return JSON.stringify([target.kind === 'prompt' ? target.name : target.uriTemplate, target.kind, argument]);
}
