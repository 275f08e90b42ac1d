import { AliasTable } from './alias-table.js';
import type { CatalogueTool } from './catalogue-tool.js';
import { commentText, printKey, printType } from './print-type.js';

const CHARACTERS_PER_TOKEN = 4;

const costs = new WeakMap<CatalogueTool, number>();

/** An ambient TypeScript declaration of `tools` with the given tools, in the given order. */
export function printDeclarations(tools: readonly CatalogueTool[]): string {
  if (tools.length === 0) return '';
  const aliases = new AliasTable();
  const members = tools.map((tool) => printMember(tool, aliases));
  const wrapper = ['declare const tools: {', ...members, '};'];
  return [...aliases.declarations(), ...wrapper].join('\n');
}

/** Estimated tokens of a tool's own, complete declaration file: characters divided by four, not rounded. */
export function declarationCost(tool: CatalogueTool): number {
  const known = costs.get(tool);
  if (known !== undefined) return known;
  const cost = printDeclarations([tool]).length / CHARACTERS_PER_TOKEN;
  costs.set(tool, cost);
  return cost;
}

function printMember(tool: CatalogueTool, aliases: AliasTable): string {
  const failure = failureType(tool, aliases);
  const notes = [
    commentText(tool.description),
    ...(tool.readOnly ? ['Read-only.'] : []),
    ...(tool.destructive ? ['Destructive.'] : []),
    ...(tool.needsApproval ? ['Needs approval.'] : []),
    ...(failure === 'never' ? [] : [`@throws ${failure}`]),
  ];
  const comment = ['  /**', ...notes.map((note) => `   * ${note}`), '   */'];
  return [...comment, `  ${printSignature(tool, aliases)}`].join('\n');
}

function printSignature(tool: CatalogueTool, aliases: AliasTable): string {
  const input = printType(tool.input, aliases.scope(tool.input));
  const { required } = tool.input;
  const optional = Array.isArray(required) && required.length > 0 ? '' : '?';
  const output = tool.output === undefined ? 'unknown' : printType(tool.output, aliases.scope(tool.output));
  return `${printKey(tool.name)}(input${optional}: ${input}): Promise<${output}>;`;
}

function failureType({ failures }: CatalogueTool, aliases: AliasTable): string {
  const types = failures.map(({ tag, fields }) => {
    const own = `{ readonly _tag: ${JSON.stringify(tag)}; }`;
    const printed = commentText(printType(fields, aliases.scope(fields)));
    return printed === '{}' || printed === 'unknown' ? own : `(${own} & ${printed})`;
  });
  return types.length === 0 ? 'never' : types.join(' | ');
}
