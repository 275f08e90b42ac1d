import type { CompiledInput, CompiledOutput } from '../kernel/compiled-schema.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import type { AnyContract } from './contract.js';

/** The compiled schemas of a contract. */
export interface CompiledContract {
  readonly input: CompiledInput;
  readonly output: CompiledOutput;
  readonly failures: ReadonlyMap<string, { readonly schema: CompiledOutput; readonly fix: string }>;
}

const compiled = new WeakMap<AnyContract, CompiledContract>();

/** Compiles a contract on first use, once. Without the DTO adapter: contracts stay browser-safe. */
export function compileContract(contract: AnyContract): CompiledContract {
  const known = compiled.get(contract);
  if (known !== undefined) return known;
  const compiler = new SchemaCompiler();
  const failures = Object.entries(contract.failures ?? {}).map(
    ([tag, { schema, fix }]) => [tag, { schema: compiler.compileOutput(schema), fix }] as const,
  );
  const result: CompiledContract = {
    input: compiler.compileInput(contract.inputSchema, { unknownKeys: contract.unknownKeys ?? 'refuse' }),
    output: compiler.compileOutput(contract.outputSchema),
    failures: new Map(failures),
  };
  compiled.set(contract, result);
  return result;
}
