import { type CanActivate, Logger } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { CapabilityError } from '../../errors/capability-error.js';
import { normalizeError } from '../../errors/normalize-error.js';
import { isPromiseLike } from '../../kernel/promise-like.js';
import type { HandlerCall } from '../capability-definition.js';
import {
  CapabilityExecutionContext,
  type CapabilityTarget,
} from '../execution-context/capability-execution-context.js';
import type { CallContextIds } from './call-context-ids.js';
import type { InstanceSource } from './nest-injector.js';

/** One guard of a host method. */
export interface BoundGuard {
  readonly name: string;
  /** Answers undefined for a guard that turns out to belong to the transport. */
  readonly source: InstanceSource<CanActivate | undefined>;
}

/** Runs guards in order until one refuses. A refusal is FORBIDDEN; what a guard throws passes on. */
export function guardRunner(
  guards: readonly BoundGuard[],
  target: CapabilityTarget,
  contextIds: CallContextIds,
): (call: HandlerCall) => Promise<void> {
  const misfits = new MisfitReport();
  return async (call) => {
    const context = new CapabilityExecutionContext(target, call, undefined);
    for (const { name, source } of guards) {
      const guard = source.scoped ? await source.load(contextIds.of(call)) : source.instance;
      if (guard === undefined) continue;
      if (!(await activates(guard, name, context, misfits))) throw new CapabilityError('FORBIDDEN');
    }
  };
}

async function activates(
  guard: CanActivate,
  name: string,
  context: CapabilityExecutionContext,
  misfits: MisfitReport,
): Promise<boolean> {
  try {
    const answer = guard.canActivate(context);
    const settled: unknown = isPromiseLike(answer) ? await answer : answer;
    const passed: unknown = isObservable(settled) ? await lastValueFrom(settled) : settled;
    const missed = context.takeMissed();
    if (missed && !passed) misfits.add(name, context);
    return Boolean(passed);
  } catch (error) {
    if (!context.takeMissed()) throw error;
    misfits.add(name, context);
    if (normalizeError(error).reason !== 'INTERNAL') throw error;
    throw new CapabilityError('FORBIDDEN', { cause: error });
  }
}

/** A guard that looks for HTTP where there is none is a mistake of the wiring: named once per surface. */
class MisfitReport {
  private readonly logger = new Logger('Capabilities');
  private readonly told = new Set<string>();

  add(guard: string, context: CapabilityExecutionContext): void {
    const key = `${guard} ${context.surface}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    this.logger.warn(
      `The guard ${guard} refused ${context.capability.name} on the surface '${context.surface}' after it looked for ` +
        'an HTTP request or response, which this call does not have. Name the guard in transportGuards if it ' +
        "belongs to HTTP, or let it read CapabilityExecutionContext when getType() is 'capability'.",
    );
  }
}
