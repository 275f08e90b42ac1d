import type { CapabilityError } from '../errors/capability-error.js';
import { errorEnvelope } from '../errors/error-envelope.js';
import { ERROR_TABLE } from '../errors/error-table.js';
import type { FailedOutcome, Outcome, SuspendedOutcome } from '../execution/outcome.js';

/** A reply of a REST-like surface. */
export interface PresentedOutcome {
  readonly status: number;
  /** The value to send as JSON; undefined is an empty reply. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Seconds to wait where the table demands `Retry-After` and the error names no time. */
const DEFAULT_RETRY_AFTER = 1;

/** `scope-token` of RFC 6749, section 3.3: what may stand in a challenge. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * The reply of an outcome: 200 with the bare output, 204 for none, 202 for a suspended call, or the error's
 * status with its envelope. A concealed error carries no header that an unknown path would not have.
 */
export function presentOutcome(outcome: Outcome): PresentedOutcome {
  switch (outcome.status) {
    case 'completed':
      return outcome.output === undefined
        ? { status: 204, body: undefined, headers: commonHeaders(outcome) }
        : { status: 200, body: outcome.output, headers: { ...commonHeaders(outcome), ...JSON_BODY } };
    case 'suspended':
      return presentSuspended(outcome);
    case 'failed':
      return presentFailed(outcome);
  }
}

const JSON_BODY = Object.freeze({ 'Content-Type': 'application/json' });

function commonHeaders(outcome: Outcome): Record<string, string> {
  return {
    'X-Execution-Id': outcome.executionId,
    ...(outcome.replayed ? { 'Idempotent-Replayed': 'true' } : {}),
  };
}

function presentSuspended(outcome: SuspendedOutcome): PresentedOutcome {
  const { approvalId, decideBy, executeBy, reasons, links } = outcome.approval;
  const location = links['self'];
  return {
    status: 202,
    body: {
      status: 'approval_required',
      approvalId,
      decideBy,
      executeBy: executeBy ?? null,
      reasons,
      links,
    },
    headers: {
      ...commonHeaders(outcome),
      ...JSON_BODY,
      ...(location === undefined ? {} : { Location: location }),
    },
  };
}

function presentFailed(outcome: FailedOutcome): PresentedOutcome {
  const { error, executionId } = outcome;
  const body = errorEnvelope(error, { executionId });
  if (error.reason === 'NOT_FOUND') {
    return { status: ERROR_TABLE.NOT_FOUND.http, body, headers: JSON_BODY };
  }
  return {
    status: error.status,
    body,
    headers: { ...commonHeaders(outcome), ...JSON_BODY, ...errorHeaders(error) },
  };
}

/** Header fields that an error's status asks for. */
function errorHeaders(error: CapabilityError): Record<string, string> {
  const headers: Record<string, string> = {};
  const seconds = retryAfter(error);
  if (seconds !== undefined) headers['Retry-After'] = String(seconds);
  const challenge = challengeOf(error);
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  return headers;
}

/** Whole seconds (RFC 9110, section 10.2.3). 503 and the library's own 429 always name a time. */
function retryAfter(error: CapabilityError): number | undefined {
  const { retryAfter: seconds } = error.details;
  if (seconds !== undefined && Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds));
  const demanded = error.status === 503 || error.status === 429;
  return demanded ? DEFAULT_RETRY_AFTER : undefined;
}

/** A 401 must carry a challenge (RFC 9110, section 15.5.2); a missing scope is named (RFC 6750, section 3.1). */
function challengeOf(error: CapabilityError): string | undefined {
  if (error.status === 401) return 'Bearer';
  const scopes = (error.details.missingScopes ?? []).filter((scope) => SCOPE_TOKEN.test(scope));
  if (error.status !== 403 || scopes.length === 0) return undefined;
  return `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
}
