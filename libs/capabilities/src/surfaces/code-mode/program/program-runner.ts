import { AsyncLocalStorage } from 'node:async_hooks';
import { CapabilityError } from '../../../errors/capability-error.js';
import type { Clock } from '../../../kernel/clock.js';
import { sha256 } from '../../../kernel/hash.js';
import { executionId } from '../../../kernel/ids.js';
import { principalRef } from '../../../kernel/principal.js';
import type { ProgramLimits, Sandbox, SandboxEnd } from '../sandbox/sandbox.js';
import { failureDiagnostic } from './call-failure.js';
import { CallSlots } from './call-slots.js';
import {
  approvalDiagnostic,
  fixedDiagnostic,
  type ProgramDiagnostic,
  thrownDiagnostic,
} from './diagnostic.js';
import { ProgramCalls } from './program-calls.js';
import { ProgramJournal } from './program-journal.js';
import type { ProgramStore } from './program-store.js';
import type { ProgramCaller, ProgramTools } from './program-tools.js';
import { fitOutput } from './truncate-output.js';

/** Beyond a program's own time: what its calls may still take to end. */
const LEASE_GRACE_MS = 60_000;

export interface ProgramResult {
  /** JSON value; null when the program failed. */
  readonly result: unknown;
  /** `level: text`, in order. */
  readonly logs: readonly string[];
  /** Null when the program ended well. */
  readonly diagnostic: ProgramDiagnostic | null;
  /** Names of the admitted calls, failed ones included, in order. */
  readonly toolCalls: readonly string[];
  /** True when the result or the logs were cut. */
  readonly truncated: boolean;
}

export interface ProgramRunnerOptions {
  readonly limits: ProgramLimits;
  /** Programs that run at the same time. */
  readonly programs: number;
  /** Milliseconds for which a program that stopped can go on. */
  readonly keepMs: number;
}

/** One program and who runs it. */
export interface ProgramRequest {
  readonly code: string;
  readonly tools: ProgramTools;
  readonly caller: ProgramCaller;
  /** The caller's cancellation. */
  readonly signal: AbortSignal;
}

/** Runs programs in the sandbox; what goes wrong in a program is data. */
export class ProgramRunner {
  private readonly slots: CallSlots;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly store: ProgramStore,
    private readonly clock: Clock,
    private readonly options: ProgramRunnerOptions,
  ) {
    this.slots = new CallSlots(options.programs);
  }

  /**
   * Runs a program, or goes on with the same program of the same principal where it stopped. Throws
   * `CapabilityError`: UNAVAILABLE when too many programs run, IN_PROGRESS when this one does, CANCELLED.
   */
  async run(request: ProgramRequest): Promise<ProgramResult> {
    if (!this.slots.tryTake()) throw new CapabilityError('UNAVAILABLE', { retryAfter: 1 });
    try {
      const journal = await this.openJournal(request);
      try {
        return await this.runJournaled(request, journal);
      } catch (error) {
        await journal.suspend().catch(() => undefined);
        throw error;
      }
    } finally {
      this.slots.release();
    }
  }

  private async openJournal({ code, caller }: ProgramRequest): Promise<ProgramJournal> {
    const now = this.clock.now();
    const options = {
      key: sha256(
        'nest-capabilities.code-mode.program.v1',
        JSON.stringify([principalRef(caller.principal), code]),
      ),
      now,
      leaseMs: this.options.limits.wallClockMs + LEASE_GRACE_MS,
      keepMs: this.options.keepMs,
      seed: { startedAt: now, random: executionId() },
    };
    try {
      return await ProgramJournal.open(this.store, options);
    } catch (cause) {
      if (cause instanceof CapabilityError) throw cause;
      throw new CapabilityError('UNAVAILABLE', { retryAfter: 1, cause });
    }
  }

  private async runJournaled(request: ProgramRequest, journal: ProgramJournal): Promise<ProgramResult> {
    const { code, tools, caller, signal } = request;
    const { limits } = this.options;
    const program = new AbortController();
    const calls = new AbortController();
    const onAbort = (): void => {
      program.abort();
      calls.abort();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const overtime = setTimeout(() => calls.abort(), limits.wallClockMs);
    const answers = new ProgramCalls({
      tools,
      journal,
      caller,
      limits,
      clock: this.clock,
      signal: calls.signal,
      stop: () => program.abort(),
    });
    const inContext = AsyncLocalStorage.snapshot();
    try {
      if (signal.aborted) onAbort();
      const end = await this.sandbox.run({
        code,
        limits,
        names: tools.names,
        seed: journal.seed,
        signal: program.signal,
        call: (call) => inContext(() => answers.answer(call)),
      });
      if (end.status === 'timeout' || end.status === 'failed') calls.abort();
      await answers.drained();
      if (signal.aborted) throw new CapabilityError('CANCELLED');
      return await this.conclude(end, answers, journal);
    } finally {
      clearTimeout(overtime);
      signal.removeEventListener('abort', onAbort);
    }
  }

  private async conclude(
    end: SandboxEnd,
    calls: ProgramCalls,
    journal: ProgramJournal,
  ): Promise<ProgramResult> {
    const diagnostic = diagnose(end, calls);
    // A record that could not be removed only makes the same code answer from it once its run is given up.
    await (STOPPED.has(diagnostic?.kind) ? journal.suspend() : journal.close().catch(() => undefined));
    const written = 'logs' in end ? end : { logs: [], dropped: false };
    const fitted = fitOutput(
      {
        result: diagnostic === null && end.status === 'returned' ? end.result : 'null',
        logs: [...calls.logs, ...written.logs],
      },
      this.options.limits.outputBytes,
    );
    return {
      result: fitted.result,
      logs: fitted.logs,
      diagnostic,
      toolCalls: [...calls.admitted],
      truncated: fitted.truncated || written.dropped,
    };
  }
}

/** A program that ended like this did not reach its own end: the same code goes on where it stopped. */
const STOPPED: ReadonlySet<ProgramDiagnostic['kind'] | undefined> = new Set([
  'ApprovalRequired',
  'ReplayMismatch',
  'TimeoutExceeded',
  'HostFailure',
]);

function diagnose(end: SandboxEnd, calls: ProgramCalls): ProgramDiagnostic | null {
  if (calls.approvals.length > 0) return approvalDiagnostic(calls.approvals);
  if (calls.mismatched || (end.status === 'timeout' && calls.stalled))
    return fixedDiagnostic('ReplayMismatch');
  switch (end.status) {
    case 'returned':
      return null;
    case 'threw': {
      const failure = calls.failure(end.failure);
      return failure === undefined ? thrownDiagnostic(end.message) : failureDiagnostic(failure);
    }
    case 'invalid-value':
      return fixedDiagnostic('InvalidDataValue');
    case 'syntax-error':
      return fixedDiagnostic('ParseError');
    case 'timeout':
      return fixedDiagnostic('TimeoutExceeded');
    case 'call-limit':
      return fixedDiagnostic('ToolCallLimitExceeded');
    case 'aborted':
    case 'failed':
      return fixedDiagnostic('HostFailure');
  }
}
