import type { CapabilityError } from '../errors/capability-error.js';
import type { ObjectRef } from '../contract/object-ref.js';

/** What a suspended call tells its caller. */
export interface SuspendedApproval {
  readonly approvalId: string;
  /** ISO 8601. */
  readonly decideBy: string;
  /** ISO 8601; absent until approved, as the window starts with the decision. */
  readonly executeBy: string | undefined;
  readonly reasons: readonly string[];
  readonly links: Readonly<Record<string, string>>;
}

interface OutcomeBase {
  readonly executionId: string;
  readonly capability: string;
  /** True when a stored outcome was returned and nothing ran. */
  readonly replayed: boolean;
}

export type CompletedOutcome<T = unknown> = OutcomeBase & {
  readonly status: 'completed';
  readonly output: T;
  readonly cites: readonly ObjectRef[];
};
export type SuspendedOutcome = OutcomeBase & {
  readonly status: 'suspended';
  readonly approval: SuspendedApproval;
};
export type FailedOutcome = OutcomeBase & { readonly status: 'failed'; readonly error: CapabilityError };

/** The one answer of the pipeline. */
export type Outcome<T = unknown> = CompletedOutcome<T> | SuspendedOutcome | FailedOutcome;
