import type { AuditEvent, DenialCause } from '../audit/audit-event.js';
import type { ExecutionHook } from '../audit/execution-hook.js';
import { startSpan } from '../audit/guarded-span.js';
import { CapabilityError } from '../errors/capability-error.js';
import { describeFault } from '../errors/describe-fault.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import { principalRef } from '../kernel/principal.js';
import type { CallRecord } from './call-record.js';
import { ConcealedError } from './concealed-error.js';
import type { PipelinePorts } from './pipeline-ports.js';

type EventOf<T extends AuditEvent['type']> = Extract<AuditEvent, { type: T }>;
type EventBody<T extends AuditEvent['type']> = Omit<EventOf<T>, keyof EventHead | 'type'>;
type EventHead = ReturnType<CallJournal['head']>;

const MASKED: ReadonlySet<string> = new Set(['INTERNAL', 'OUTPUT_INVALID', 'UNAVAILABLE']);

/** Tells audit, hooks, telemetry and log about one call: one `requested`, one terminal event, one span end. */
export class CallJournal {
  constructor(private readonly ports: PipelinePorts) {}

  /** `label` names the capability in telemetry. */
  opened(record: CallRecord, label: string): void {
    const { executionId, name, surface, options } = record;
    const parent = options.trace === undefined ? {} : { parent: options.trace };
    const span = { executionId, capability: label, surface, ...parent };
    record.span = startSpan(this.ports.telemetry, span, (error) => this.telemetryFault(error));
    this.tell((hook) => hook.onStart?.({ executionId, name, surface }));
    if (!this.ports.recorder.silent) this.ports.recorder.record(this.event(record, 'requested', {}));
  }

  /**
   * Records `started`. For writes it must be held by every sink first: rejects with UNAVAILABLE, and nothing runs.
   * A sink may never answer: wait no longer than the call lasts.
   */
  started(record: CallRecord): void | Promise<void> {
    record.started = true;
    const { recorder } = this.ports;
    if (recorder.silent) return;
    const event = record.startedEvent ?? this.startedEvent(record);
    if (!record.plan!.effect) return recorder.record(event);
    return recorder.require(event).catch((error: unknown) => {
      record.started = false;
      throw new CapabilityError('UNAVAILABLE', { cause: error, retryAfter: 5 });
    });
  }

  startedEvent(record: CallRecord): EventOf<'started'> {
    const { stances, plan, inputHash } = record;
    const hash = inputHash === undefined ? {} : { inputHash };
    record.startedEvent = this.event(record, 'started', { stances, effect: plan!.effect, ...hash });
    return record.startedEvent;
  }

  deniedEvent(record: CallRecord, cause: DenialCause): AuditEvent {
    return this.event(record, 'denied', { cause, stances: record.stances });
  }

  /** The terminal event of a call that ended well. */
  completedEvent(record: CallRecord): AuditEvent {
    const { durationMs, replayed } = record;
    return this.event(record, 'completed', { durationMs, replayed });
  }

  /** The call waits for a human: the terminal event was stored with the request, or names it again. */
  suspended(record: CallRecord): void {
    if (!this.ports.recorder.silent)
      this.ports.recorder.record(record.terminal ?? this.suspendedEvent(record));
    record.span?.end({ outcome: 'suspended', durationMs: record.durationMs });
  }

  private suspendedEvent(record: CallRecord): AuditEvent {
    const { stances } = record;
    const { reasons, inputHash } = record.approval!;
    const hash = this.ports.governance!.gate.auditHash(inputHash);
    return this.event(record, 'suspended', { stances, reasons, inputHash: hash });
  }

  /** The call ended with a question to its client. */
  asked(record: CallRecord): void {
    if (!this.ports.recorder.silent) this.ports.recorder.record(record.terminal ?? this.askedEvent(record));
    record.span?.end({ outcome: 'suspended', durationMs: record.durationMs });
  }

  /** The terminal event of a call that asked its client: the answered call is another one. */
  askedEvent(record: CallRecord): AuditEvent {
    const { durationMs, stage } = record;
    return this.event(record, 'cancelled', { durationMs, stage });
  }

  retried(record: CallRecord, attempt: number, error: CapabilityError): void {
    if (this.ports.recorder.silent) return;
    this.ports.recorder.record(this.event(record, 'retried', { attempt, errorType: error.reason }));
  }

  completed(record: CallRecord, output: unknown): void {
    const { durationMs } = record;
    if (!this.ports.recorder.silent)
      this.ports.recorder.record(record.terminal ?? this.completedEvent(record));
    record.span?.end({ outcome: 'completed', durationMs });
    this.tell((hook) =>
      hook.onEnd?.({
        ...this.hookHead(record),
        input: record.observedInput,
        output,
        context: record.context,
        durationMs,
      }),
    );
  }

  failed(record: CallRecord, error: CapabilityError): void {
    const { durationMs, stage } = record;
    if (!this.ports.recorder.silent)
      this.ports.recorder.record(record.terminal ?? this.failedEvent(record, error));
    record.span?.end({ outcome: 'failed', errorType: error.reason, durationMs });
    this.tell((hook) =>
      hook.onError?.({
        ...this.hookHead(record),
        error,
        stage,
        durationMs,
        ...(record.observedInput === undefined ? {} : { input: record.observedInput }),
        ...(record.context === undefined ? {} : { context: record.context }),
      }),
    );
    if (MASKED.has(error.reason) && error.cause !== undefined) {
      this.ports.logger.error(`Capability "${record.name}" failed at ${stage}`, {
        referenceId: record.executionId,
        capability: record.name,
        error: describeFault(error.cause),
      });
    }
  }

  /** The terminal event of a call that was refused, failed or was cancelled. */
  failedEvent(record: CallRecord, error: CapabilityError): AuditEvent {
    const { durationMs, stage } = record;
    if (error.reason === 'CANCELLED') return this.event(record, 'cancelled', { durationMs, stage });
    if (record.started) {
      return this.event(record, 'failed', {
        reason: error.reason,
        errorType: error.reason,
        durationMs,
        stage,
      });
    }
    const cause: DenialCause = error instanceof ConcealedError ? error.concealed : error.reason;
    return this.deniedEvent(record, cause);
  }

  private event<T extends AuditEvent['type']>(record: CallRecord, type: T, body: EventBody<T>): EventOf<T> {
    return { type, ...this.head(record), ...body } as unknown as EventOf<T>;
  }

  private head(record: CallRecord) {
    const { known, span } = record;
    const approvalId = record.approval?.id ?? record.namedApproval;
    return {
      at: this.ports.clock.now(),
      executionId: record.executionId,
      correlationId: record.correlationId,
      ...(span?.traceId === undefined ? {} : { traceId: span.traceId }),
      tenant: known?.tenant ?? 'default',
      principal: known === undefined ? null : principalRef(known),
      surface: record.surface,
      capability: record.name,
      ...(approvalId === undefined ? {} : { approvalId }),
    };
  }

  private hookHead(record: CallRecord) {
    const { executionId, name, surface, known, plan } = record;
    return {
      executionId,
      name,
      surface,
      ...(known === undefined ? {} : { principal: known }),
      ...(plan === undefined ? {} : { capability: plan.definition }),
    };
  }

  /** Hooks observe: a throw is logged and changes nothing. */
  private tell(call: (hook: ExecutionHook) => void | Promise<void>): void {
    for (const hook of this.ports.hooks) {
      try {
        const told = call(hook);
        if (isPromiseLike(told)) told.then(undefined, (error: unknown) => this.hookFault(hook, error));
      } catch (error) {
        this.hookFault(hook, error);
      }
    }
  }

  private telemetryFault(error: unknown): void {
    this.ports.logger.warn(`Telemetry failed: ${describeFault(error)}`);
  }

  private hookFault(hook: ExecutionHook, error: unknown): void {
    this.ports.logger.warn(`Hook ${hook.constructor.name} failed: ${describeFault(error)}`);
  }
}
