import { ERROR_TABLE, type ErrorReason, type ToolErrorCode } from './error-table.js';

/** One input problem, with the dotted path of its field. */
export interface ErrorIssue {
  readonly field: string;
  readonly message: string;
}

/** What may accompany an error to the caller; nothing else ever leaves. */
export interface ErrorDetails {
  /** What to do next. */
  readonly hint?: string;
  /** Dotted path of the first offending field. */
  readonly field?: string;
  /** Permitted values of that field. */
  readonly allowed?: readonly unknown[];
  readonly issues?: readonly ErrorIssue[];
  readonly candidates?: readonly unknown[];
  readonly existing_id?: string;
  /** A declared failure: its tag and declared fields. */
  readonly failure?: { readonly tag: string } & Readonly<Record<string, unknown>>;
  readonly approvalId?: string;
  readonly decision?: { readonly decision: string; readonly by: string; readonly at: string };
  readonly links?: Readonly<Record<string, string>>;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  readonly executionId?: string;
  /** OAuth scopes that the call needs and the token lacks (RFC 6750 `insufficient_scope`). */
  readonly missingScopes?: readonly string[];
}

export interface CapabilityErrorOptions extends ErrorDetails {
  /** Public message; default the table's sentence. */
  readonly message?: string;
  /** Overrides the table's coarse code (declared failures, HTTP exceptions, tool errors). */
  readonly code?: ToolErrorCode;
  /** Overrides the table's HTTP status. */
  readonly status?: number;
  readonly retryable?: boolean;
  /** Private: logged once, never sent. */
  readonly cause?: unknown;
}

const BRAND = Symbol.for('nest-capabilities.CapabilityError');

/**
 * The one error that crosses a surface. Its message and details are public, its `cause` is private.
 * `instanceof` works across two copies of the library (brand by `Symbol.for`).
 */
export class CapabilityError extends Error {
  readonly [BRAND] = true;
  readonly reason: ErrorReason;
  readonly code: ToolErrorCode;
  /** HTTP status of this error. */
  readonly status: number;
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  constructor(reason: ErrorReason, options: CapabilityErrorOptions = {}) {
    const row = ERROR_TABLE[reason];
    const { message, code, status, retryable, cause, ...details } = options;
    super(message ?? row.message, cause === undefined ? undefined : { cause });
    this.name = 'CapabilityError';
    this.reason = reason;
    this.code = code ?? row.code;
    this.status = status ?? row.http;
    this.retryable = retryable ?? row.retryable;
    this.details = details;
  }

  /** The same error with more details. */
  with(details: ErrorDetails): CapabilityError {
    return new CapabilityError(this.reason, {
      message: this.message,
      code: this.code,
      status: this.status,
      retryable: this.retryable,
      cause: this.cause,
      ...this.details,
      ...details,
    });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
