import { CapabilityFailure } from '../../contract/capability-failure.js';
import type { HandlerContext } from '../../contract/handler-context.js';
import type { CapabilityError } from '../../errors/capability-error.js';
import { normalizeError } from '../../errors/normalize-error.js';
import { isToolError } from '../../errors/tool-error.js';
import { dueAtOnce, isPromiseLike } from '../../kernel/promise-like.js';
import type { CapabilityDefinition, HandlerCall } from '../../registry/capability-definition.js';
import type { CallSignal } from '../call-signal.js';
import type { CapabilityPlan } from '../capability-plan.js';
import { QuestionPending } from '../question-pending.js';
import { declaredFailure } from './declared-failure.js';

/** Told before every further attempt. */
export type OnRetry = (attempt: number, error: CapabilityError) => void;

/** Stage 12: calls the method through the host's interceptors. Eligible retries wrap this stage only. */
export function invokeHandler(
  plan: CapabilityPlan,
  input: unknown,
  context: HandlerContext,
  call: HandlerCall,
  signal: CallSignal,
  onRetry: OnRetry,
): unknown {
  if (plan.definition.retry !== undefined)
    return invokeWithRetries(plan, input, context, call, signal, onRetry);
  return attempt(plan, input, context, call, signal);
}

function attempt(
  plan: CapabilityPlan,
  input: unknown,
  context: HandlerContext,
  call: HandlerCall,
  signal: CallSignal,
): unknown {
  signal.check();
  const result = plan.definition.handler.invoke(input, context, call);
  return isPromiseLike(result) ? signal.race(result).then(refuseToolError) : refuseToolError(result);
}

/** A returned tool error is a failure like a thrown one. */
function refuseToolError(result: unknown): unknown {
  if (isToolError(result)) throw normalizeError(result);
  return result;
}

async function invokeWithRetries(
  plan: CapabilityPlan,
  input: unknown,
  context: HandlerContext,
  call: HandlerCall,
  signal: CallSignal,
  onRetry: OnRetry,
): Promise<unknown> {
  const { maxAttempts, backoffMs, retryOn } = plan.definition.retry!;
  for (let made = 0; ; made++) {
    try {
      return await attempt(plan, input, context, call, signal);
    } catch (thrown) {
      const error = await publicError(plan.definition, thrown);
      if (error instanceof QuestionPending) throw error;
      signal.check();
      const eligible = retryOn === undefined ? error.retryable : dueAtOnce(retryOn(thrown), 'retry.retryOn');
      if (made >= maxAttempts || !eligible) throw error;
      onRetry(made + 1, error);
      await signal.race(pause(backoffMs * 2 ** made));
    }
  }
}

/** What a handler threw, as the caller may see it. */
export async function publicError(
  definition: CapabilityDefinition | undefined,
  thrown: unknown,
): Promise<CapabilityError> {
  return definition !== undefined && isFailure(thrown)
    ? declaredFailure(definition, thrown)
    : normalizeError(thrown);
}

function isFailure(thrown: unknown): thrown is CapabilityFailure {
  try {
    return thrown instanceof CapabilityFailure;
  } catch {
    // A proxy whose traps throw: nothing of it can be trusted.
    return false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
