import type { ObjectRef } from '../../../contract/object-ref.js';
import { type ErrorEnvelope, errorEnvelope } from '../../../errors/error-envelope.js';
import type { FailedOutcome, Outcome, SuspendedApproval } from '../../../execution/outcome.js';

interface ResultBase {
  /** The provider's id of the call, as it was given. */
  readonly toolCallId: string | undefined;
  /** Name of the tool. */
  readonly name: string;
  /** The one tool result of this call, as text for a provider: JSON, or the output itself where it is a string. */
  readonly content: string;
  /** True for a failure; providers have a flag for it. */
  readonly isError: boolean;
}

/** What one tool call came to. */
export type ToolCallResult = ResultBase &
  (
    | { readonly status: 'completed'; readonly output: unknown; readonly cites: readonly ObjectRef[] }
    /** A person has to decide; nothing ran. */
    | { readonly status: 'suspended'; readonly approval: SuspendedApproval }
    | { readonly status: 'failed'; readonly error: ErrorEnvelope['error'] }
  );

export type SuspendedToolCall = Extract<ToolCallResult, { status: 'suspended' }>;

/** Which call a result belongs to. */
export interface CallRef {
  readonly toolCallId: string | undefined;
  readonly name: string;
}

/** The result of an outcome. */
export function toolCallResult({ toolCallId, name }: CallRef, outcome: Outcome): ToolCallResult {
  const call = { toolCallId, name };
  switch (outcome.status) {
    case 'completed': {
      const { output, cites } = outcome;
      return { ...call, status: 'completed', output, cites, content: outputText(output), isError: false };
    }
    case 'suspended': {
      const content = JSON.stringify(pendingValue(outcome.approval));
      return { ...call, status: 'suspended', approval: outcome.approval, content, isError: false };
    }
    case 'failed':
      return failedResult(call, failureOf(outcome));
  }
}

/** A failed result from an envelope. */
export function failedResult(call: CallRef, envelope: ErrorEnvelope): ToolCallResult {
  return {
    ...call,
    status: 'failed',
    error: envelope.error,
    content: JSON.stringify(envelope),
    isError: true,
  };
}

/** What a model is told about a call that waits. */
export function pendingValue({ approvalId, decideBy, executeBy, reasons, links }: SuspendedApproval) {
  return {
    status: 'approval_required' as const,
    message: `Nothing has run yet. This call waits for approval ${approvalId} until ${decideBy}.`,
    approvalId,
    decideBy,
    ...(executeBy === undefined ? {} : { executeBy }),
    reasons,
    links,
  };
}

function failureOf({ error, executionId }: FailedOutcome): ErrorEnvelope {
  return errorEnvelope(error, { executionId });
}

/** A string is itself; nothing is `null`, as every call has a result. */
function outputText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? null);
}
