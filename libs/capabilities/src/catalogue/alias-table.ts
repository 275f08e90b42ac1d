import { canonicalJson } from '../kernel/canonical-json.js';
import { isRecord, type JsonSchema } from '../kernel/json.js';
import { type AliasOf, printType, referencedDefinition } from './print-type.js';

/** What an alias may not be called: names of the printed file itself and words of the language. */
const TAKEN = new Set(
  (
    'tools Promise ReadonlyArray any unknown never object undefined null void string number boolean bigint symbol ' +
    'true false this new class enum function import export default delete return switch typeof interface type const ' +
    'var case catch continue debugger do else extends finally for if in instanceof super throw try while with break ' +
    'static yield let await async keyof'
  ).split(' '),
);

/**
 * The type aliases of one declaration file. Equal definitions share an alias; two different
 * ones under one name get distinct aliases (`Money`, `Money2`).
 */
export class AliasTable {
  private readonly bySignature = new Map<string, string>();
  private readonly used = new Set(TAKEN);
  private readonly types = new Map<string, string>();

  /** How a schema's own references print. */
  scope(root: JsonSchema): AliasOf {
    const definitions = definitionsOf(root);
    const aliasOf: AliasOf = (name) => {
      const schema = definitions[name];
      return Object.hasOwn(definitions, name) ? this.aliasFor(name, schema, definitions, aliasOf) : undefined;
    };
    return aliasOf;
  }

  /** The aliases in the order in which they were first met. */
  declarations(): readonly string[] {
    return [...this.types].map(([alias, type]) => `type ${alias} = ${type};`);
  }

  private aliasFor(name: string, schema: unknown, definitions: Definitions, aliasOf: AliasOf): string {
    const signature = signatureOf(name, definitions);
    const known = this.bySignature.get(signature);
    if (known !== undefined) return known;
    const alias = this.freeName(name);
    this.bySignature.set(signature, alias);
    // Reserved before printing, so that a recursive definition finds its own alias.
    this.types.set(alias, 'unknown');
    this.types.set(alias, printType(schema, aliasOf));
    return alias;
  }

  private freeName(name: string): string {
    const clean = name.replaceAll(/[^A-Za-z0-9_$]+/g, '_').replace(/^(?=\d|$)/, '_');
    let alias = clean;
    for (let count = 2; this.used.has(alias); count += 1) alias = `${clean}${count}`;
    this.used.add(alias);
    return alias;
  }
}

type Definitions = Readonly<Record<string, unknown>>;

function definitionsOf(root: JsonSchema): Definitions {
  const { $defs, definitions } = root;
  return { ...(isRecord(definitions) ? definitions : {}), ...(isRecord($defs) ? $defs : {}) };
}

/** A definition with everything it reaches: two of them with the same text mean the same. */
function signatureOf(name: string, definitions: Definitions): string {
  const reached = new Map<string, unknown>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isRecord(value)) return;
    for (const [key, member] of Object.entries(value)) {
      const target = key === '$ref' && typeof member === 'string' ? referencedDefinition(member) : undefined;
      if (target !== undefined && Object.hasOwn(definitions, target) && !reached.has(target)) {
        reached.set(target, definitions[target]);
        visit(definitions[target]);
      } else visit(member);
    }
  };
  reached.set(name, definitions[name]);
  visit(definitions[name]);
  return `${name}:${canonicalJson(JSON.parse(JSON.stringify(Object.fromEntries(reached))))}`;
}
