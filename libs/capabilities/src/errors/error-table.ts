/** The closed set of coarse error codes that an agent or client acts on. */
export const TOOL_ERROR_CODES = [
  'VALIDATION',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'AMBIGUOUS',
  'CONFLICT',
  'APPROVAL_REQUIRED',
  'APPROVAL_DENIED',
  'RATE_LIMITED',
  'UPSTREAM',
  'TIMEOUT',
  'CANCELLED',
] as const;

export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/** One row: the coarse code, the HTTP status, whether a retry can help, and the public sentence. */
export interface ErrorRow {
  readonly code: ToolErrorCode;
  readonly http: number;
  readonly retryable: boolean;
  readonly message: string;
}

const row = (code: ToolErrorCode, http: number, retryable: boolean, message: string): ErrorRow =>
  Object.freeze({ code, http, retryable, message });

/** Every refusal the library can answer, keyed by its fine reason. Surfaces map by this table, never by `if`. */
export const ERROR_TABLE = Object.freeze({
  INPUT_INVALID: row('VALIDATION', 400, false, 'The input is not valid.'),
  UNSTORABLE_INPUT: row(
    'VALIDATION',
    422,
    false,
    'The input holds a value that cannot be stored for approval.',
  ),
  MEDIA_TYPE: row('VALIDATION', 415, false, 'Send application/json in UTF-8, without a content encoding.'),
  TOO_LARGE: row('VALIDATION', 413, false, 'The request body is too large.'),
  UNAUTHENTICATED: row('UNAUTHENTICATED', 401, false, 'Authentication is required.'),
  FORBIDDEN: row('FORBIDDEN', 403, false, 'You are not permitted to do this.'),
  SELF_APPROVAL: row('FORBIDDEN', 403, false, 'The requester cannot decide on their own request.'),
  SAME_CREDENTIAL: row('FORBIDDEN', 403, false, 'This credential cannot decide on this request.'),
  CONSTRAINT_VIOLATED: row('FORBIDDEN', 403, false, 'The input is outside what was granted.'),
  NOT_FOUND: row('NOT_FOUND', 404, false, 'Not found.'),
  HTTP_EXCEPTION: row('VALIDATION', 400, false, 'The request was refused.'),
  DECLARED_FAILURE: row('CONFLICT', 422, false, 'The operation failed.'),
  TOOL_ERROR: row('CONFLICT', 422, false, 'The operation failed.'),
  IN_PROGRESS: row('CONFLICT', 409, true, 'The same request is still running.'),
  CONSUMED: row('CONFLICT', 409, false, 'This approval was already executed.'),
  ALREADY_DECIDED: row('CONFLICT', 409, false, 'This request was already decided.'),
  CAPABILITY_CHANGED: row('CONFLICT', 409, false, 'The capability changed since approval was requested.'),
  QUORUM_UNREACHABLE: row('CONFLICT', 409, false, 'Too few approvers remain to reach the quorum.'),
  WITHDRAWN: row('CONFLICT', 409, false, 'This request was withdrawn.'),
  OUTCOME_UNKNOWN: row(
    'CONFLICT',
    409,
    false,
    'An earlier attempt may have taken effect; its outcome is unknown.',
  ),
  KEY_REUSED: row('CONFLICT', 422, false, 'This idempotency key was used with other input.'),
  EXPIRED: row('CONFLICT', 410, false, 'The time to do this has passed.'),
  APPROVAL_DENIED: row('APPROVAL_DENIED', 403, false, 'The request was denied.'),
  APPROVAL_VOID: row('APPROVAL_DENIED', 403, false, 'The approval is void.'),
  APPROVAL_REQUIRED: row('APPROVAL_REQUIRED', 202, false, 'Approval is required.'),
  RATE_LIMITED: row('RATE_LIMITED', 429, true, 'Too many requests.'),
  BUDGET_EXCEEDED: row('RATE_LIMITED', 429, true, 'The budget for this period is used up.'),
  UNAVAILABLE: row('UPSTREAM', 503, true, 'The service is temporarily unavailable.'),
  TIMEOUT: row('TIMEOUT', 504, true, 'The operation took too long.'),
  CANCELLED: row('CANCELLED', 499, true, 'The operation was cancelled.'),
  OUTPUT_INVALID: row('UPSTREAM', 500, false, 'Something went wrong on our side.'),
  INTERNAL: row('UPSTREAM', 500, false, 'Something went wrong on our side.'),
} satisfies Record<string, ErrorRow>);

export type ErrorReason = keyof typeof ERROR_TABLE;
