import type { StrictJsonReason } from './strict-json.js';

export interface StrictJsonProblem {
  readonly reason: StrictJsonReason;
  readonly path: readonly (string | number)[];
}

/** An open container: an array counts its items, an object remembers its keys. */
interface Frame {
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LONE_SURROGATE = /\p{Surrogate}/u;
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;

/**
 * One pass over text that `JSON.parse` accepted, for what `JSON.parse` does not judge: depth, repeated
 * and dangerous keys, lone surrogates, NUL and numbers that lose their value.
 */
export function scanJson(text: string, maxDepth: number): StrictJsonProblem | undefined {
  const stack: Frame[] = [];
  let expectsKey = false;
  const problem = (reason: StrictJsonReason): StrictJsonProblem => ({
    reason,
    path: stack.map((frame) => (frame.keys === undefined ? frame.index : frame.key)),
  });

  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const content = contentOf(text, at, end);
      const frame = stack[stack.length - 1];
      const reason = checkString(content) ?? (expectsKey ? checkKey(content, stack) : undefined);
      if (expectsKey && frame !== undefined) {
        frame.key = content;
        expectsKey = false;
      }
      if (reason !== undefined) return problem(reason);
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (stack.length >= maxDepth) return problem('depth');
      stack.push({ keys: code === 0x7b ? new Set() : undefined, key: '', index: 0 });
      expectsKey = code === 0x7b;
    } else if (code === 0x7d || code === 0x5d) {
      stack.pop();
      expectsKey = false;
    } else if (code === COMMA) {
      const frame = stack[stack.length - 1];
      expectsKey = frame?.keys !== undefined;
      if (frame !== undefined) frame.index++;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(text)?.[0] ?? '';
      if (losesValue(token)) return problem('number');
      at += token.length - 1;
    } else if (code === COLON) {
      expectsKey = false;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Only a string with an escape needs decoding; raw lone surrogates cannot occur in UTF-8. */
function contentOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

function checkString(content: string): StrictJsonReason | undefined {
  if (content.includes('\0')) return 'nul';
  return LONE_SURROGATE.test(content) ? 'surrogate' : undefined;
}

function checkKey(key: string, stack: readonly Frame[]): StrictJsonReason | undefined {
  const keys = stack[stack.length - 1]?.keys;
  if (keys === undefined) return undefined;
  if (key === '__proto__') return 'forbidden-key';
  if (key === 'prototype' && stack[stack.length - 2]?.key === 'constructor') return 'forbidden-key';
  if (keys.has(key)) return 'duplicate-key';
  keys.add(key);
  return undefined;
}

/** Overflow, underflow to zero, and integers outside ±(2^53 − 1). */
function losesValue(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(token)) return !Number.isSafeInteger(value);
  return value === 0 && /[1-9]/.test(token.split(/[eE]/, 1)[0] ?? '');
}
