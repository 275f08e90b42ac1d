import type { SuspendedApproval } from '../../../execution/outcome.js';
import type { Clock } from '../../../kernel/clock.js';
import { sha256 } from '../../../kernel/hash.js';
import type { ProgramCall, ProgramLimits, ProgramReply } from '../sandbox/sandbox.js';
import { type CallFailure, callLimit, invalidOutput } from './call-failure.js';
import { CallSlots } from './call-slots.js';
import { type CallEnvironment, type CallPlace, performCall } from './perform-call.js';
import type { RecordedCall, SettledCall } from './program-store.js';
import { ReplayTurns } from './replay-turns.js';

/** Calls of one program that run at the same time. */
const IN_FLIGHT = 8;
/** A program that waits for people is ended after so many milliseconds without a call: those made together are asked together. */
const QUIET_MS = 25;
/** A name longer than any capability's is cut before it is listed. */
const NAME_LENGTH = 64;
/** All answers of one program, UTF-8 bytes: what the host holds for it and what a record may weigh. */
const ANSWER_BYTES = 8 * 1024 * 1024;
const ONE_ANSWER_BYTES = 1024 * 1024;
/** Id of the failure that calls beyond the limit get; the others are named by their place. */
const LIMIT_FAILURE = -1;

type Answer = SettledCall['answer'];

export interface ProgramCallsOptions extends CallEnvironment {
  readonly limits: Pick<ProgramLimits, 'calls' | 'outputBytes'>;
  readonly clock: Clock;
  /** Ends the program. */
  readonly stop: () => void;
}

/** Answers the calls of one program: admission, at most eight at a time, the pipeline, and the journal. */
export class ProgramCalls {
  /** Names of the admitted calls, in the order in which they were made. */
  readonly admitted: string[] = [];
  readonly logs: string[] = [];
  /** Whom the program waits for. It hears no more answers, and ends once its calls have settled. */
  readonly approvals: SuspendedApproval[] = [];
  private diverged = false;
  private readonly slots = new CallSlots(IN_FLIGHT);
  private readonly running = new Set<Promise<unknown>>();
  private readonly failures = new Map<number, CallFailure>();
  private readonly turns: ReplayTurns;
  private logRoom: number;
  private answerRoom = ANSWER_BYTES;
  private settled = 0;
  private quiet: NodeJS.Timeout | undefined;

  constructor(private readonly options: ProgramCallsOptions) {
    this.turns = new ReplayTurns(options.journal.earlier.values());
    this.logRoom = options.limits.outputBytes;
  }

  /** The failure with that id. */
  failure(id: number | undefined): CallFailure | undefined {
    return id === undefined ? undefined : this.failures.get(id);
  }

  /** True when the program did other than in its first run. */
  get mismatched(): boolean {
    return this.diverged;
  }

  /** True when a recorded answer waits for a call that the program has not repeated. */
  get stalled(): boolean {
    return this.turns.stalled;
  }

  /** Resolves when no call runs any more. */
  async drained(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
    clearTimeout(this.quiet);
  }

  /** Answers one call; never, once the program is about to end. */
  async answer({ name, input, logs }: ProgramCall): Promise<ProgramReply> {
    this.addLogs(logs);
    if (this.closed) return never();
    if (this.admitted.length >= this.options.limits.calls) return this.refuse(LIMIT_FAILURE, callLimit());
    const place = { index: this.admitted.length, name: name.slice(0, NAME_LENGTH), inputHash: hashOf(input) };
    this.admitted.push(place.name);
    const earlier = this.options.journal.earlier.get(place.index);
    if (earlier !== undefined && (earlier.name !== place.name || earlier.inputHash !== place.inputHash)) {
      this.diverged = true;
      this.options.stop();
      return never();
    }
    if (earlier?.state === 'settled') return this.replay(earlier);
    const work = this.perform(place, input, earlier);
    this.running.add(work);
    const reply = await work.finally(() => this.running.delete(work));
    if (this.approvals.length > 0) this.stopWhenQuiet();
    return reply ?? never();
  }

  private get closed(): boolean {
    return this.diverged || this.options.signal.aborted;
  }

  private stopWhenQuiet(): void {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => {
      if (this.running.size === 0) this.options.stop();
    }, QUIET_MS);
  }

  private async replay(call: SettledCall): Promise<ProgramReply> {
    await this.turns.turn(call.index);
    this.answerRoom -= sizeOf(call.answer);
    return this.settle(call, call.answer, call.at);
  }

  /** Undefined when the program is about to end and shall hear no more. */
  private async perform(
    place: CallPlace,
    input: string,
    earlier: RecordedCall | undefined,
  ): Promise<ProgramReply | undefined> {
    const { journal, tools, clock } = this.options;
    await this.slots.take();
    try {
      if (this.closed) return undefined;
      const performed = await performCall(place, input, earlier, this.options);
      if ('approval' in performed) {
        journal.note({ ...place, state: 'suspended', approval: performed.approval });
        this.approvals.push(performed.approval);
        return undefined;
      }
      // A read that was cut off can be read again; an effect that was cut off stays as it ended.
      if (this.closed && !tools.mayAct(place.name)) return undefined;
      const reply = this.settle(place, this.bounded(place.name, performed.answer), clock.now());
      // Without this write the call stands as started: a repeated program then hears that its outcome is unknown.
      if (tools.mayAct(place.name)) await journal.write().catch(() => undefined);
      return this.closed || this.approvals.length > 0 ? undefined : reply;
    } finally {
      this.slots.release();
    }
  }

  private settle({ index, name, inputHash }: CallPlace, answer: Answer, at: number): ProgramReply {
    this.settled += 1;
    this.options.journal.note({ index, name, inputHash, state: 'settled', order: this.settled, at, answer });
    return answer.ok ? { ok: true, value: answer.value, at } : this.refuse(index, answer.failure, at);
  }

  private refuse(id: number, failure: CallFailure, at: number = this.options.clock.now()): ProgramReply {
    this.failures.set(id, failure);
    const { tag, message, fields } = failure;
    return { ok: false, failure: { id, tag, message, fields }, at };
  }

  /** The answer, or a failure in its place when the program has received too much. */
  private bounded(name: string, answer: Answer): Answer {
    const size = sizeOf(answer);
    if (size > ONE_ANSWER_BYTES || size > this.answerRoom) return { ok: false, failure: invalidOutput(name) };
    this.answerRoom -= size;
    return answer;
  }

  /** Keeps what may still be shown, and one line more so that the cut is seen. */
  private addLogs(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.logRoom < 0) return;
      this.logs.push(line);
      this.logRoom -= line.length;
    }
  }
}

/** The answer that does not come: the sandbox is about to be stopped. */
const never = (): Promise<never> => new Promise<never>(() => undefined);

const hashOf = (input: string): string => sha256('nest-capabilities.code-mode.input.v1', input);

const sizeOf = (answer: Answer): number =>
  Buffer.byteLength(answer.ok ? answer.value : JSON.stringify(answer.failure), 'utf8');
