import type { StandardIssue } from '../standard-schema.js';

/** Shorter values are too common in ordinary text to be recognised by themselves. */
const RECOGNISABLE = 4;

/**
 * An issue's text without the value that caused it: some libraries write the rejected value into
 * their messages, and what a caller sent must not come back in replies, logs or audit.
 */
export function withoutInput(
  issue: StandardIssue,
  path: readonly (string | number)[],
  input: unknown,
): string {
  const value = valueAt(input, path);
  const kind = kindOf(value);
  let { message } = issue;
  const { received } = issue as { received?: unknown };
  if (typeof received === 'string' && received !== '')
    message = message.replaceAll(`received ${received}`, `received ${kind}`);
  if (typeof value === 'string' && value !== '')
    message = message.replaceAll(JSON.stringify(value), kind).replaceAll(`'${value}'`, kind);
  const text =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
  return text.length >= RECOGNISABLE ? message.replaceAll(text, kind) : message;
}

function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  let at = input;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
