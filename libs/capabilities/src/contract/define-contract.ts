import type { SchemaLike } from '../kernel/standard-schema.js';
import { nameProblem } from './capability-name.js';
import type { AnyContract, DeclaredFailures, GatedContract, NoFailures, ReadContract } from './contract.js';
import { ContractNameInvalid } from './contract-errors.js';
import { brandContract } from './contract-options.js';

/**
 * Defines a contract: pure data, without a handler, that servers and browsers can share.
 * A read contract has no action to describe; a gated one must describe its own.
 *
 * @throws ContractNameInvalid when the name breaks the name grammar.
 */
export function defineContract<
  const Name extends string,
  I extends SchemaLike,
  O extends SchemaLike,
  F extends DeclaredFailures = NoFailures,
>(contract: ReadContract<Name, I, O, F>): ReadContract<Name, I, O, F>;
export function defineContract<
  const Name extends string,
  I extends SchemaLike,
  O extends SchemaLike,
  F extends DeclaredFailures = NoFailures,
>(contract: GatedContract<Name, I, O, F>): GatedContract<Name, I, O, F>;
export function defineContract(contract: AnyContract): AnyContract {
  const problem = nameProblem(contract.name);
  if (problem !== undefined) throw new ContractNameInvalid(contract.name, problem);
  return brandContract(contract);
}
