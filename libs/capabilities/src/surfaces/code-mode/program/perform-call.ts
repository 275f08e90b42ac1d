import { CapabilityError } from '../../../errors/capability-error.js';
import type { Outcome, SuspendedApproval } from '../../../execution/outcome.js';
import { searchInput } from '../program-schemas.js';
import { type CallFailure, callFailure, invalidInput, unknownTool } from './call-failure.js';
import type { ProgramJournal } from './program-journal.js';
import type { RecordedCall, SettledCall } from './program-store.js';
import type { ProgramCaller, ProgramTools } from './program-tools.js';

/** The search, as a program calls it: `tools.$codemode.search(…)`. */
const SEARCH_TOOL = '$codemode.search';

export type CallPlace = Pick<RecordedCall, 'index' | 'name' | 'inputHash'>;

/** An answer for the program, or a person to wait for. */
export type Performed = { readonly answer: SettledCall['answer'] } | { readonly approval: SuspendedApproval };

export interface CallEnvironment {
  readonly tools: ProgramTools;
  readonly journal: ProgramJournal;
  readonly caller: ProgramCaller;
  /** Aborts the calls that run. */
  readonly signal: AbortSignal;
}

/** Runs one admitted call. What may have an effect is written down before it starts: no record, no effect. */
export async function performCall(
  place: CallPlace,
  input: string,
  earlier: RecordedCall | undefined,
  { tools, journal, caller, signal }: CallEnvironment,
): Promise<Performed> {
  const { name } = place;
  const value = parsed(input);
  if (value === undefined) return failed(invalidInput(name));
  if (name === SEARCH_TOOL) return search(value, tools);
  if (!tools.has(name)) return failed(unknownTool(name));
  if (earlier?.state === 'started') return failed(callFailure(name, new CapabilityError('OUTCOME_UNKNOWN')));
  if (earlier?.state === 'suspended')
    return performed(name, await tools.resume(earlier.approval.approvalId, caller, signal));
  if (tools.mayAct(name)) {
    const refusal = await writeStarted(place, journal);
    if (refusal !== undefined) return failed(callFailure(name, refusal));
  }
  return performed(name, await tools.execute(name, value, caller, signal));
}

async function writeStarted(place: CallPlace, journal: ProgramJournal): Promise<CapabilityError | undefined> {
  journal.note({ ...place, state: 'started' });
  try {
    await journal.write();
    return undefined;
  } catch (error) {
    journal.forget(place.index);
    return error instanceof CapabilityError ? error : new CapabilityError('UNAVAILABLE', { cause: error });
  }
}

function search(value: unknown, tools: ProgramTools): Performed {
  const request = searchInput.safeParse(value);
  if (!request.success) return failed(invalidInput(SEARCH_TOOL));
  return { answer: { ok: true, value: JSON.stringify(tools.search(request.data)) } };
}

/** Undefined for text that is not JSON. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return undefined;
  }
}

function performed(name: string, outcome: Outcome): Performed {
  if (outcome.status === 'suspended') return { approval: outcome.approval };
  if (outcome.status === 'failed') return failed(callFailure(name, outcome.error));
  return { answer: { ok: true, value: JSON.stringify(outcome.output ?? null) } };
}

const failed = (failure: CallFailure): Performed => ({ answer: { ok: false, failure } });
