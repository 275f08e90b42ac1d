import { isRecord } from '../kernel/json.js';
import { TOOL_ERROR_CODES, type ToolErrorCode } from './error-table.js';

/** What a tool error tells its reader. Unset fields are absent. */
export interface ToolErrorDetail {
  readonly code: ToolErrorCode;
  readonly message: string;
  /** What to do next. */
  readonly hint?: string;
  /** Dotted path of the offending input field. */
  readonly field?: string;
  /** Permitted values of that field. */
  readonly allowed?: readonly unknown[];
  /** What an ambiguous reference may have meant. */
  readonly candidates?: readonly { readonly id: string; readonly label: string }[];
  /** Id of the object that is already there. */
  readonly existing_id?: string;
}

/** The envelope in which a capability returns, or throws, a failure that its caller can act on. */
export interface ToolError {
  readonly error: ToolErrorDetail;
}

const CODES: ReadonlySet<unknown> = new Set(TOOL_ERROR_CODES);

/** Builds a tool error; a method returns it or throws it. */
export function toolError(
  code: ToolErrorCode,
  message: string,
  detail: Omit<ToolErrorDetail, 'code' | 'message'> = {},
): ToolError {
  return { error: { code, message, ...detail } };
}

/** True for a plain object whose `error` has a known code and a message. */
export function isToolError(value: unknown): value is ToolError {
  if (!isRecord(value)) return false;
  const { error } = value;
  return isRecord(error) && CODES.has(error['code']) && typeof error['message'] === 'string';
}

/**
 * A `VALIDATION` tool error about the first of `issues`: its dotted `field` and, for an enumeration, the
 * `allowed` values. Takes zod issues, Standard Schema issues and the library's own.
 */
export function validationToolError(message: string, issues: unknown): ToolError {
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const field = isRecord(first) ? fieldOf(first) : undefined;
  const allowed = isRecord(first) ? allowedBy(first) : undefined;
  return toolError('VALIDATION', message, {
    ...(field === undefined ? {} : { field }),
    ...(allowed === undefined ? {} : { allowed }),
    hint: CORRECT_AND_RETRY,
  });
}

/** The next step after a `VALIDATION` error. */
export const CORRECT_AND_RETRY = 'Correct the named field and call the same tool again.';

function fieldOf(issue: Record<string, unknown>): string | undefined {
  const path = issue['path'] ?? issue['field'];
  if (typeof path === 'string') return path === '' ? undefined : path;
  if (!Array.isArray(path) || path.length === 0) return undefined;
  return path.map((part: unknown) => String(isRecord(part) ? part['key'] : part)).join('.');
}

function allowedBy(issue: Record<string, unknown>): readonly unknown[] | undefined {
  const values = issue['values'] ?? issue['allowed'];
  return Array.isArray(values) && values.length > 0 ? values : undefined;
}
