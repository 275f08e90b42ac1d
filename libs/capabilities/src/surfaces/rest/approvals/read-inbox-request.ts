import type { InboxRequest } from '../../../approvals/approval-inbox.js';
import { APPROVAL_MOVES } from '../../../approvals/approval-moves.js';
import type { ApprovalState } from '../../../approvals/approval-record.js';
import { CapabilityError } from '../../../errors/capability-error.js';
import { readQuery } from '../input/query-string.js';

export const APPROVAL_VIEWS = ['own', 'decidable', 'all'] as const;
export const APPROVAL_STATES = Object.keys(APPROVAL_MOVES) as ApprovalState[];
export const APPROVAL_ORDERS = ['oldest', 'newest'] as const;
/** Longest page. */
export const MAX_LIMIT = 200;

const PARAMETERS = ['view', 'state', 'capability', 'type', 'limit', 'cursor', 'order'];

/**
 * What a list was asked for in the query: `view`, `state` (repeatable), `capability`, `type`, `limit`, `cursor`
 * and `order`. Throws INPUT_INVALID for anything else.
 */
export function readInboxRequest(target: string): InboxRequest {
  const query = readQuery(target);
  const unknown = [...query.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined) throw invalid(unknown, 'Unknown parameter.');
  const states = query.get('state');
  return {
    ...optional('view', choice(query, 'view', APPROVAL_VIEWS)),
    ...optional('states', states?.map(stateOf)),
    ...optional('capability', once(query, 'capability')),
    ...optional('type', once(query, 'type')),
    ...optional('limit', limitOf(once(query, 'limit'))),
    ...optional('cursor', cursorOf(once(query, 'cursor'))),
    ...optional('order', choice(query, 'order', APPROVAL_ORDERS)),
  };
}

type Query = ReturnType<typeof readQuery>;

function once(query: Query, field: string): string | undefined {
  const values = query.get(field) ?? [];
  if (values.length > 1) throw invalid(field, 'Give this parameter once.');
  return values[0];
}

function choice<T extends string>(query: Query, field: string, allowed: readonly T[]): T | undefined {
  const text = once(query, field);
  return text === undefined ? undefined : oneOf(field, text, allowed);
}

function oneOf<T extends string>(field: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === text);
  if (found === undefined) throw invalid(field, `Must be one of ${allowed.join(', ')}.`, allowed);
  return found;
}

const stateOf = (text: string): ApprovalState => oneOf('state', text, APPROVAL_STATES);

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw invalid('limit', `Must be an integer from 1 to ${MAX_LIMIT}.`);
  return limit;
}

/** Stores number what they list; anything else was not given by one. */
function cursorOf(text: string | undefined): string | undefined {
  if (text === undefined || /^\d{1,18}$/.test(text)) return text;
  throw invalid('cursor', 'Must be the `next` of an earlier page.');
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [key in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: T };
}

function invalid(field: string, message: string, allowed?: readonly string[]): CapabilityError {
  const details = { field, message: `${field}: ${message}`, ...(allowed === undefined ? {} : { allowed }) };
  return new CapabilityError('INPUT_INVALID', details);
}
