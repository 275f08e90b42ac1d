import { CapabilityError } from './capability-error.js';
import type { ToolErrorCode } from './error-table.js';

/** The part of a Nest `HttpException` that is read; recognised by shape, so that no Nest is loaded. */
interface HttpExceptionLike {
  getStatus(): unknown;
  getResponse(): unknown;
  readonly message?: unknown;
}

const CODES: Readonly<Record<number, ToolErrorCode>> = Object.freeze({
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'CONFLICT',
  412: 'CONFLICT',
  429: 'RATE_LIMITED',
});

/** The coarse code of an HTTP status from 400 to 499; `VALIDATION` for every status without its own. */
function codeForStatus(status: number): ToolErrorCode {
  return CODES[status] ?? 'VALIDATION';
}

/**
 * The public form of a Nest `HttpException` from 400 to 499: its status and its message.
 * Undefined for anything else, which has to be masked.
 */
export function fromHttpException(error: unknown): CapabilityError | undefined {
  if (!isHttpException(error)) return undefined;
  const status = error.getStatus();
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 499)
    return undefined;
  return new CapabilityError('HTTP_EXCEPTION', {
    code: codeForStatus(status),
    status,
    message: publicMessage(error),
    cause: error,
  });
}

function isHttpException(value: unknown): value is HttpExceptionLike {
  if (typeof value !== 'object' || value === null) return false;
  const { getStatus, getResponse } = value as Record<string, unknown>;
  return typeof getStatus === 'function' && typeof getResponse === 'function';
}

function publicMessage(error: HttpExceptionLike): string | undefined {
  const response = error.getResponse();
  if (typeof response === 'object' && response !== null && 'message' in response) {
    return sentence(response.message) ?? sentence(error.message);
  }
  return sentence(response) ?? sentence(error.message);
}

/** A validation pipe answers a list of sentences where others answer one. */
function sentence(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    return sentence(value.filter((part) => typeof part === 'string').join('; '));
  }
  return typeof value === 'string' && value !== '' ? value : undefined;
}
