import type { ParsedInput, ReturnedOutput } from './capability-options.js';
import type { AnyContract, DeclaredFailures, NoFailures } from './contract.js';
import type { HandlerContext } from './handler-context.js';

const BRAND = Symbol.for('nest-capabilities.ImplementedContract');

type FailuresOf<C extends AnyContract> =
  NonNullable<C['failures']> extends DeclaredFailures ? NonNullable<C['failures']> : NoFailures;

/** What a contract's handler is called with. `invoke` gives `fail` alone, the pipeline the whole context. */
export type ContractCall<C extends AnyContract = AnyContract> = Partial<Omit<HandlerContext, 'fail'>> &
  Pick<HandlerContext<unknown, unknown, FailuresOf<C>>, 'fail'>;

export type ContractHandler<C extends AnyContract> = (
  input: ParsedInput<C['inputSchema']>,
  call: ContractCall<C>,
) => ReturnedOutput<C['outputSchema']> | Promise<ReturnedOutput<C['outputSchema']>>;

/** A contract with its handler. */
export interface ImplementedContract<C extends AnyContract = AnyContract> {
  readonly contract: C;
  readonly handler: (input: never, call: never) => unknown;
}

/** Joins a contract and its one handler. */
export function implement<C extends AnyContract>(
  contract: C,
  handler: ContractHandler<C>,
): ImplementedContract<C> {
  return Object.freeze(Object.defineProperty({ contract, handler }, BRAND, { value: true }));
}

/** True for what `implement` returned, also by another copy of the library. */
export function isImplementedContract(value: unknown): value is ImplementedContract {
  return typeof value === 'object' && value !== null && BRAND in value;
}
