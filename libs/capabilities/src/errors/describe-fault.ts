import { scrub } from './scrub.js';

const MAX_LENGTH = 8_192;
const MAX_CAUSES = 5;
/** Every cause gets its share, so that a long stack does not push the last one out. */
const MAX_PART = Math.floor(MAX_LENGTH / (MAX_CAUSES + 1)) - 12;

/**
 * A fault as text for the log: name, message, stack and causes (five at most), scrubbed, without control
 * characters, 8 192 characters at most. Never throws, whatever was thrown.
 */
export function describeFault(error: unknown): string {
  const parts: string[] = [];
  const seen = new Set<unknown>();
  let current = error;
  while (parts.length <= MAX_CAUSES && !seen.has(current)) {
    seen.add(current);
    parts.push(describeOne(current).slice(0, MAX_PART));
    const cause = read(current, 'cause');
    if (cause === undefined || cause === null) break;
    current = cause;
  }
  const text = scrub(parts.join('\ncaused by ')).replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

function describeOne(error: unknown): string {
  if (typeof error === 'string') return `Thrown string: ${error}`;
  if (typeof error !== 'object' || error === null) return `Thrown ${typeof error}: ${plainText(error)}`;
  const name = text(error, 'name') ?? 'Object';
  const message = text(error, 'message');
  const stack = text(error, 'stack');
  const head = message === undefined || message === '' ? name : `${name}: ${message}`;
  if (stack === undefined) return head;
  return message === undefined || stack.includes(message) ? stack : `${head}\n${stack}`;
}

function plainText(value: unknown): string {
  return typeof value === 'function' ? 'function' : String(value);
}

function text(value: object, key: string): string | undefined {
  const found = read(value, key);
  return typeof found === 'string' ? found : undefined;
}

/** A property of anything; undefined when its getter throws. */
function read(value: unknown, key: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}
