import type { ApprovalRecord, StoredOutcome } from '../approvals/approval-record.js';
import { loadInput } from '../approvals/approval-input.js';
import type { HandlerContext } from '../contract/handler-context.js';
import { CapabilityError } from '../errors/capability-error.js';
import { normalizeError } from '../errors/normalize-error.js';
import { frozenClone } from '../kernel/frozen-clone.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import { CallContext } from './call-context.js';
import type { CallJournal } from './call-journal.js';
import type { CallRecord } from './call-record.js';
import type { ReadInput } from './execution-request.js';
import type { CompletedOutcome, SuspendedOutcome } from './outcome.js';
import type { PipelinePorts } from './pipeline-ports.js';
import { buildContext } from './stages/build-context.js';
import { checkConstraints, snapshotConstraints } from './stages/check-constraints.js';
import { checkInvocation } from './stages/check-invocation.js';
import { gateApproval, needsGate } from './stages/gate-approval.js';
import { invokeHandler } from './stages/invoke-handler.js';
import { callKey, lookUpKey, type CallKey } from './stages/look-up-key.js';
import { parseOutput } from './stages/parse-output.js';
import { checkIdempotencyKey, parseInput, readRaw } from './stages/read-input.js';
import { presentOutput } from './stages/redact-output.js';
import { takeCall } from './stages/take-call.js';
import { loadError, loadOutput, storedSuccess } from './stored-outcome.js';
import { suspendedOutcome } from './suspended-outcome.js';

type StagesOutcome = CompletedOutcome | SuspendedOutcome;

/** Stages 5–14 of an admitted call, in their normative order. Refusing is throwing. */
export async function runStages(
  record: CallRecord,
  readInput: ReadInput,
  ports: PipelinePorts,
  journal: CallJournal,
): Promise<StagesOutcome> {
  const input = await readStages(record, readInput, ports);
  const { governance } = ports;
  let key: CallKey | undefined;
  let replay: StoredOutcome | undefined;
  if (governance !== undefined && record.options.idempotencyKey !== undefined && record.plan!.effect) {
    record.stage = 'idempotency';
    key = callKey(record.definition, record.principal, record.options.idempotencyKey, input);
    ({ replay } = await lookUpKey(governance.store, key));
  }
  if (ports.context !== undefined) await buildContext(record, ports);
  if (replay !== undefined) return replayOutcome(record, replay);
  record.stage = 'approval';
  if (needsGate(record, governance)) {
    record.call.check();
    const gate = await gateApproval(record, input, key, governance!);
    if (gate.status === 'suspended') return suspendedOutcome(record, gate.record, governance!);
    if (gate.status === 'approved') {
      const stored = loadInput(gate.record, record.definition.input.classes);
      return runApproved(record, gate.record, stored, ports, journal);
    }
  }
  return runTaken(record, input, key, ports, journal);
}

/** Stages 11–14 with the value that the record stored: what was approved is what executes. */
export function runApproved(
  record: CallRecord,
  approval: ApprovalRecord,
  stored: unknown,
  ports: PipelinePorts,
  journal: CallJournal,
): Promise<StagesOutcome> {
  record.approval = approval;
  return runTaken(record, stored, undefined, ports, journal);
}

/** Stages 6, 7 and 9 again, on the stored value of an approved record, which is returned. */
export async function recheckStored(
  record: CallRecord,
  approval: ApprovalRecord,
  ports: PipelinePorts,
): Promise<unknown> {
  const input = loadInput(approval, record.definition.input.classes);
  record.stage = 'constraints';
  const snapshot = snapshotConstraints(record.definition, record.principal, input);
  if (snapshot !== undefined) checkConstraints(snapshot, input);
  await policyStage(record, input, ports);
  await buildContext(record, ports);
  return input;
}

/** What a stored outcome says, for this caller and surface: redaction runs again. */
export function replayOutcome(record: CallRecord, stored: StoredOutcome): CompletedOutcome {
  record.replayed = true;
  if (stored.status === 'failed') throw loadError(stored.error);
  if (stored.status === 'unknown') throw new CapabilityError('OUTCOME_UNKNOWN');
  return present(record, loadOutput(stored.output, record.definition.output));
}

async function runTaken(
  record: CallRecord,
  input: unknown,
  key: CallKey | undefined,
  ports: PipelinePorts,
  journal: CallJournal,
): Promise<StagesOutcome> {
  record.stage = 'take';
  if (record.options.beforeTake !== undefined) await record.call.race(record.options.beforeTake());
  if (record.plan!.takes || key !== undefined || record.approval !== undefined) {
    const overtaken = await takeCall(record, key, ports, journal);
    if (overtaken?.status === 'replay') return replayOutcome(record, overtaken.replay);
    if (overtaken?.status === 'suspended')
      return suspendedOutcome(record, overtaken.record, ports.governance!);
  } else {
    record.call.check();
    const stored = journal.started(record);
    if (isPromiseLike(stored)) await record.call.race(stored);
  }
  record.stage = 'invoke';
  const returned = invokeHandler(
    record.plan!,
    input,
    contextOf(record),
    record,
    record.call,
    (attempt, error) => journal.retried(record, attempt, error),
  );
  const value = isPromiseLike(returned) ? await returned : returned;
  record.stage = 'output';
  const parsing = parseOutput(record.definition, value);
  const parsed = isPromiseLike(parsing) ? await record.call.race(parsing) : parsing;
  const outcome = present(record, parsed);
  if (record.claim !== undefined)
    record.result = storedSuccess(record.definition.output, parsed, outcome.cites);
  return outcome;
}

function present(record: CallRecord, parsed: unknown): CompletedOutcome {
  record.stage = 'redaction';
  const { surface, principal, context, definition, executionId, replayed } = record;
  const view = { surface, capability: definition.name, principal, context };
  const { output, cites } = presentOutput(definition, parsed, view, record.deliveredOn);
  return { executionId, capability: definition.name, replayed, status: 'completed', output, cites };
}

/** Stages 5–7: input, constraints, policies. Returns the parsed input. */
async function readStages(record: CallRecord, readInput: ReadInput, ports: PipelinePorts): Promise<unknown> {
  const { definition, principal, surface, options, call } = record;
  record.stage = 'input';
  call.check();
  const raw = readRaw(readInput);
  if (options.idempotencyKey !== undefined) checkIdempotencyKey(options.idempotencyKey);
  const snapshot = snapshotConstraints(definition, principal, raw);
  const parsing = parseInput(definition, raw, surface);
  const input = isPromiseLike(parsing) ? await call.race(parsing) : parsing;
  record.stage = 'constraints';
  if (snapshot !== undefined) checkConstraints(snapshot, input);
  if (options.authorize !== undefined) await authorizeInput(record, input);
  await policyStage(record, input, ports);
  return input;
}

/** Stage 7: the invocation policies look at a frozen clone. */
async function policyStage(record: CallRecord, input: unknown, ports: PipelinePorts): Promise<void> {
  const plan = record.plan!;
  record.stage = 'policies';
  if (plan.observed) record.observedInput = frozenClone(input);
  if (plan.invocationPolicies.length === 0) return;
  record.call.check();
  const { principal, surface, signal, stances } = record;
  const demanded = await checkInvocation(
    { plan, principal, surface, signal, stances },
    record.observedInput,
    ports,
  );
  record.demands = [...record.demands, ...demanded];
}

/** Stage 7, first half: the adapter's own check on the exact parsed value; anything it throws refuses. */
async function authorizeInput(record: CallRecord, input: unknown): Promise<void> {
  record.stage = 'policies';
  try {
    const asked = record.options.authorize!({ name: record.name, input });
    if (isPromiseLike(asked)) await record.call.race(asked);
  } catch (error) {
    const refusal = normalizeError(error);
    throw refusal.reason === 'INTERNAL' ? new CapabilityError('FORBIDDEN', { cause: error }) : refusal;
  }
}

/** Typed as the application registered it: the user is whatever its resolver returned. */
function contextOf(record: CallRecord): HandlerContext {
  const { principal, surface, executionId, context, options, call, approval } = record;
  const key = approval === undefined ? options.idempotencyKey : approval.idempotency?.key;
  const granted = approval === undefined ? undefined : { approvalId: approval.id };
  return new CallContext(
    principal,
    surface,
    executionId,
    context,
    key,
    granted,
    call,
    options.channel,
  ) as HandlerContext;
}
