import { CapabilityError, type CapabilityErrorOptions } from './capability-error.js';
import type { ToolErrorCode } from './error-table.js';
import { fromHttpException } from './http-exception.js';
import { isToolError, type ToolError } from './tool-error.js';

const STATUS: Readonly<Record<ToolErrorCode, number>> = Object.freeze({
  VALIDATION: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  AMBIGUOUS: 409,
  CONFLICT: 409,
  APPROVAL_REQUIRED: 403,
  APPROVAL_DENIED: 403,
  RATE_LIMITED: 429,
  UPSTREAM: 502,
  TIMEOUT: 504,
  CANCELLED: 499,
});

const RETRYABLE: ReadonlySet<ToolErrorCode> = new Set(['RATE_LIMITED', 'TIMEOUT']);

/**
 * The one funnel from anything thrown to the error that may cross a surface. A `CapabilityError` passes, a tool
 * error and a Nest `HttpException` from 400 to 499 keep their public part, everything else is `INTERNAL` with
 * the original as its private `cause`. Never throws, whatever it is given.
 */
export function normalizeError(error: unknown): CapabilityError {
  try {
    if (error instanceof CapabilityError) return error;
    if (isToolError(error)) return fromToolError(error);
    return fromHttpException(error) ?? masked(error);
  } catch {
    // A hostile getter or proxy: nothing of the value can be trusted.
    return masked(error);
  }
}

function masked(cause: unknown): CapabilityError {
  return new CapabilityError('INTERNAL', { cause });
}

/** Only the documented fields of the right type leave. */
function fromToolError({ error }: ToolError): CapabilityError {
  const { code, message, hint, field, allowed, candidates, existing_id: existing } = error;
  const details: CapabilityErrorOptions = {
    code,
    message,
    status: STATUS[code],
    retryable: RETRYABLE.has(code),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(typeof field === 'string' ? { field } : {}),
    ...(Array.isArray(allowed) ? { allowed } : {}),
    ...(Array.isArray(candidates) ? { candidates } : {}),
    ...(typeof existing === 'string' ? { existing_id: existing } : {}),
  };
  return new CapabilityError('TOOL_ERROR', details);
}
