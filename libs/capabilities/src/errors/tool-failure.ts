import type { CapabilityError } from './capability-error.js';
import { errorEnvelope, type ErrorEnvelope } from './error-envelope.js';
import type { ToolErrorCode } from './error-table.js';
import { normalizeError } from './normalize-error.js';
import { CORRECT_AND_RETRY } from './tool-error.js';

export interface CapabilityFailureOptions {
  /** Who to turn to, in hints. Default "an administrator" for rights, "the owning app team" for faults. */
  readonly supportContact?: string;
}

/**
 * The envelope of whatever a call threw, for surfaces of your own. Faults are masked; `supportContact`
 * changes hints only, and a hint that the error brought along is kept.
 */
export function capabilityFailure(error: unknown, options: CapabilityFailureOptions = {}): ErrorEnvelope {
  const failure = normalizeError(error);
  return errorEnvelope(withHint(failure, options.supportContact));
}

/** The error with the default hint of its code, if it has none; a concealed one stays as it is. */
function withHint(error: CapabilityError, supportContact?: string): CapabilityError {
  if (error.reason === 'NOT_FOUND' || error.details.hint !== undefined) return error;
  const hint = defaultHint(error.code, supportContact);
  return hint === undefined ? error : error.with({ hint });
}

function defaultHint(code: ToolErrorCode, contact: string | undefined): string | undefined {
  switch (code) {
    case 'VALIDATION':
      return CORRECT_AND_RETRY;
    case 'FORBIDDEN':
      return `Ask ${contact ?? 'an administrator'} for the permission or token scope that this needs.`;
    case 'UPSTREAM':
      return `Try again later. If it keeps failing, contact ${contact ?? 'the owning app team'}.`;
    default:
      return undefined;
  }
}
