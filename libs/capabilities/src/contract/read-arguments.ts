import type { JsonSchema } from '../kernel/json.js';
import type { ParseResult, SchemaIssue } from '../kernel/compiled-schema.js';
import type { AnyContract } from './contract.js';
import { CapabilityInputInvalid } from './contract-errors.js';
import { compileContract } from './compile-contract.js';

/** JSON Schema (2020-12) of a contract's input; `$defs` only when there are shared parts. */
export function inputJsonSchema(contract: AnyContract): JsonSchema {
  return compileContract(contract).input.exact;
}

/**
 * Decodes JSON arguments into a contract's input. Absent arguments are `{}`.
 *
 * @throws CapabilityInputInvalid
 */
export async function readArguments(contract: AnyContract, args: unknown): Promise<unknown> {
  const { input } = compileContract(contract);
  const raw = args === undefined ? {} : args;
  const unknownKey = input.unknownKey(raw);
  if (unknownKey !== undefined)
    throw new CapabilityInputInvalid(contract.name, `${unknownKey.join('.')}: unknown key`);
  const parsed = await input.parse(input.decodeWire(raw));
  if (!parsed.ok) throw new CapabilityInputInvalid(contract.name, firstIssue(parsed));
  return parsed.value;
}

/** The first issue in one line. */
export function firstIssue({ issues }: Extract<ParseResult, { ok: false }>): string {
  const first: SchemaIssue | undefined = issues[0];
  if (first === undefined) return 'the value does not fit the schema';
  return first.path.length === 0 ? first.message : `${first.path.join('.')}: ${first.message}`;
}
