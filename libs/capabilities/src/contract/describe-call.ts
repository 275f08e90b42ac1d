import type { GatedContract } from './contract.js';
import { CapabilityEncodingFailed } from './contract-errors.js';
import type { PendingAction } from './object-ref.js';
import { pendingActionProblem } from './pending-action.js';
import { readArguments } from './read-arguments.js';

/** Any gated contract, whatever its types. */
type AnyGatedContract = Omit<GatedContract, 'describe' | 'cites'> & {
  readonly describe: (input: never) => Omit<PendingAction, 'reversible'>;
  readonly cites?: (output: never) => readonly unknown[];
};

/**
 * Exactly what a gated call will do: decodes the arguments, then describes them. Nothing runs.
 *
 * @throws CapabilityInputInvalid for arguments that do not fit.
 * @throws CapabilityEncodingFailed when `describe` answers no well-formed action.
 */
export async function describeCall(contract: AnyGatedContract, args: unknown): Promise<PendingAction> {
  const input = await readArguments(contract as never, args);
  const described = contract.describe(input as never);
  const action = { ...described, reversible: contract.reversible };
  const problem = pendingActionProblem(action);
  if (problem !== undefined) throw new CapabilityEncodingFailed(contract.name, problem);
  return action;
}
