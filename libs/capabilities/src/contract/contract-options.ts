import type { AnyContract, ContractAccess } from './contract.js';
import type { ApprovalOptions, CapabilityOptions } from './capability-options.js';
import type { PendingAction } from './object-ref.js';

const CONTRACT = Symbol.for('nest-capabilities.Contract');
const SOURCE = Symbol.for('nest-capabilities.ContractSource');

/** What a contract leaves to the server: everything it does not fix itself. */
export type ContractBinding = Omit<
  CapabilityOptions,
  | 'name'
  | 'description'
  | 'inputSchema'
  | 'outputSchema'
  | 'failures'
  | 'sideEffect'
  | 'annotations'
  | 'describe'
  | 'reversible'
  | 'cites'
  | 'unknownKeys'
  | 'args'
>;

/** Brands a checked contract; only `defineContract` does. */
export function brandContract<C extends AnyContract>(contract: C): C {
  return Object.freeze(Object.defineProperty({ ...contract }, CONTRACT, { value: true }));
}

/** True for what `defineContract` returned, also by another copy of the library. */
export function isContract(value: unknown): value is AnyContract {
  return typeof value === 'object' && value !== null && CONTRACT in value;
}

/** Who decides on a gated contract: the person who asked, or the host's operator, who is always asked. */
const APPROVAL: Readonly<Record<ContractAccess, ApprovalOptions | undefined>> = {
  read: undefined,
  write: { by: 'principal' },
  host: { by: 'host', required: true },
};

/** The capability options that a contract amounts to. `binding` adds what the server decides. */
export function contractOptions(contract: AnyContract, binding: ContractBinding = {}): CapabilityOptions {
  const { access, describe, reversible, ...fields } = contract as AnyContract & {
    describe?: (input: unknown) => Omit<PendingAction, 'reversible'>;
    cites?: CapabilityOptions['cites'];
  };
  const approval = APPROVAL[access] && { ...APPROVAL[access], ...binding.approval };
  const options: CapabilityOptions = {
    ...binding,
    ...fields,
    sideEffect: access === 'read' ? 'read' : 'write',
    ...(approval && { approval }),
    ...(reversible !== undefined && { reversible }),
    ...(describe && {
      describe: (input: unknown) => ({ ...describe(input), reversible: reversible === true }),
    }),
  };
  return Object.defineProperty(options, SOURCE, { value: contract, enumerable: true });
}

/** The contract that options came from, if any. */
export function contractOf(options: object): AnyContract | undefined {
  return (options as Record<symbol, unknown>)[SOURCE] as AnyContract | undefined;
}
