import type { CapabilityError, ErrorDetails } from './capability-error.js';
import { ERROR_TABLE, type ErrorReason, type ToolErrorCode } from './error-table.js';

/** The body of every error on every surface. Unset members are absent. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: ToolErrorCode;
    readonly message: string;
    readonly reason: ErrorReason;
  } & Omit<ErrorDetails, 'missingScopes'>;
}

/** Members in the order in which they are written. */
const MEMBERS = [
  'hint',
  'field',
  'allowed',
  'issues',
  'candidates',
  'existing_id',
  'failure',
  'approvalId',
  'decision',
  'links',
  'retryAfter',
] as const satisfies readonly (keyof ErrorDetails)[];

/** Members that a masked fault may still carry: they say nothing about what went wrong inside. */
const MASKED_MEMBERS = [
  'hint',
  'approvalId',
  'links',
  'retryAfter',
] as const satisfies readonly (keyof ErrorDetails)[];

/** The one answer for unknown, unexposed and hidden: nothing in it may vary. */
const CONCEALED: ErrorEnvelope = Object.freeze({
  error: Object.freeze({ code: 'NOT_FOUND', message: ERROR_TABLE.NOT_FOUND.message, reason: 'NOT_FOUND' }),
});

/**
 * The public form of an error. `NOT_FOUND` is always the same bytes, without name or execution id;
 * `INTERNAL` and `OUTPUT_INVALID` carry the table's sentence whatever their own message is.
 */
export function errorEnvelope(
  error: CapabilityError,
  extra: { readonly executionId?: string } = {},
): ErrorEnvelope {
  if (error.reason === 'NOT_FOUND') return CONCEALED;
  const masked = error.reason === 'INTERNAL' || error.reason === 'OUTPUT_INVALID';
  const body: Record<string, unknown> = {
    code: error.code,
    message: masked ? ERROR_TABLE[error.reason].message : error.message,
    reason: error.reason,
  };
  for (const member of masked ? MASKED_MEMBERS : MEMBERS) {
    const value = error.details[member];
    if (value !== undefined) body[member] = value;
  }
  const executionId = extra.executionId ?? error.details.executionId;
  if (executionId !== undefined) body['executionId'] = executionId;
  return { error: body as unknown as ErrorEnvelope['error'] };
}
