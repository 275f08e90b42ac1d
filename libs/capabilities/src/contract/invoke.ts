import type { ParsedOutput } from './capability-options.js';
import { CapabilityFailure } from './capability-failure.js';
import { type CompiledContract, compileContract } from './compile-contract.js';
import type { AnyContract } from './contract.js';
import { CapabilityEncodingFailed, CapabilityFailed } from './contract-errors.js';
import type { ImplementedContract } from './implement.js';
import type { ObjectRef } from './object-ref.js';
import { citationsProblem, plainRefs } from './pending-action.js';
import { firstIssue, readArguments } from './read-arguments.js';
import { declaredFailure } from './tagged-failure.js';

/** What a call produced, in its JSON form, and the objects it stands on. */
export interface InvocationResult {
  readonly output: unknown;
  readonly cites: readonly ObjectRef[];
}

/**
 * Runs an implemented contract on JSON arguments: decode, handler, encode. Asks nobody: gating
 * is the surface's job. A fault of the handler is rethrown as it is; do not show it to callers.
 *
 * @throws CapabilityInputInvalid for arguments that do not fit; the handler did not run.
 * @throws CapabilityFailed for a declared failure that fits its schema.
 * @throws CapabilityEncodingFailed for an output or citation that the contract cannot carry.
 */
export async function invoke(capability: ImplementedContract, args: unknown): Promise<InvocationResult> {
  const { contract, handler } = capability;
  const compiled = compileContract(contract);
  const input = await readArguments(contract, args);
  const produced = await run(contract, compiled, () => handler(input as never, { fail } as never));
  return encode(contract, compiled, produced);
}

function fail(tag: string, fields: Readonly<Record<string, unknown>> = {}): never {
  throw new CapabilityFailure(tag, fields);
}

async function run(contract: AnyContract, compiled: CompiledContract, call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    throw (await shownFailure(contract, compiled, thrown)) ?? thrown;
  }
}

/** The declared failure ready to be shown; undefined when the thrown value is a fault, or breaks its own schema. */
async function shownFailure(
  contract: AnyContract,
  { failures }: CompiledContract,
  thrown: unknown,
): Promise<CapabilityFailed | undefined> {
  const failure = declaredFailure(thrown, (tag) => failures.has(tag));
  const declared = failure && failures.get(failure.tag);
  if (failure === undefined || declared === undefined) return undefined;
  const parsed = await declared.schema.parse(failure.fields);
  if (!parsed.ok) return undefined;
  const { tag, message: reason, fix = declared.fix } = failure;
  return new CapabilityFailed({
    capability: contract.name,
    tag,
    reason,
    fix,
    failure: declared.schema.toWire(parsed.value),
  });
}

async function encode(
  contract: AnyContract,
  { output }: CompiledContract,
  produced: unknown,
): Promise<InvocationResult> {
  const parsed = await output.parse(produced);
  if (!parsed.ok) throw new CapabilityEncodingFailed(contract.name, firstIssue(parsed));
  const cites: unknown = contract.cites?.(parsed.value as ParsedOutput<never>) ?? [];
  const problem = citationsProblem(cites);
  if (problem !== undefined) throw new CapabilityEncodingFailed(contract.name, problem);
  try {
    return { output: output.toWire(parsed.value), cites: plainRefs(cites as readonly ObjectRef[]) };
  } catch (error) {
    throw new CapabilityEncodingFailed(contract.name, error instanceof Error ? error.message : String(error));
  }
}
