import type { SuspendedApproval } from '../../../execution/outcome.js';
import { sanitizeMessage } from './sanitize-message.js';

/** Why a program did not end well. */
export const DIAGNOSTIC_KINDS = [
  'ParseError',
  'ExecutionFailure',
  'UnknownTool',
  'InvalidToolInput',
  'InvalidToolOutput',
  'InvalidDataValue',
  'ToolFailure',
  'TimeoutExceeded',
  'ToolCallLimitExceeded',
  'HostFailure',
  'ApprovalRequired',
  'ReplayMismatch',
] as const;

export type DiagnosticKind = (typeof DIAGNOSTIC_KINDS)[number];

export interface ProgramDiagnostic {
  readonly kind: DiagnosticKind;
  readonly message: string;
  /** The tag of the call failure that escaped. */
  readonly tag?: string;
  /** What a person has to decide on before the same program can go on. */
  readonly approvals?: readonly SuspendedApproval[];
}

/** Sentences that never say more than this. */
const FIXED = {
  ParseError: 'The code is not the body of an async JavaScript function.',
  InvalidDataValue: 'The program returned a value that is not JSON.',
  TimeoutExceeded: 'The program took too long.',
  ToolCallLimitExceeded: 'The program made too many tool calls.',
  HostFailure: 'The program could not be run to its end.',
  ReplayMismatch:
    'The program did not repeat the calls of its first run, so nothing was run again. Change the code to start over.',
} as const satisfies Partial<Record<DiagnosticKind, string>>;

export const fixedDiagnostic = (kind: keyof typeof FIXED): ProgramDiagnostic => ({
  kind,
  message: FIXED[kind],
});

/** A program that threw something of its own. */
export const thrownDiagnostic = (message: string): ProgramDiagnostic => ({
  kind: 'ExecutionFailure',
  message: sanitizeMessage(message),
});

/** A program that waits for people. */
export function approvalDiagnostic(approvals: readonly SuspendedApproval[]): ProgramDiagnostic {
  const waits = approvals.map(({ approvalId, decideBy }) => `${approvalId} (until ${decideBy})`);
  return {
    kind: 'ApprovalRequired',
    message: `The program waits for approval ${waits.join(', ')}. Send the same code again once it is decided: completed calls are not repeated.`,
    approvals,
  };
}
