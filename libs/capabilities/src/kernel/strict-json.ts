import { scanJson } from './strict-json-scan.js';

/** Why bytes are not acceptable as JSON. */
export type StrictJsonReason =
  'utf8' | 'syntax' | 'depth' | 'duplicate-key' | 'forbidden-key' | 'number' | 'surrogate' | 'nul';

const MESSAGES: Readonly<Record<StrictJsonReason, string>> = {
  utf8: 'The body must be UTF-8 without a byte order mark.',
  syntax: 'The body must be one JSON value (RFC 8259).',
  depth: 'The body is nested too deeply.',
  'duplicate-key': 'An object holds the same key twice.',
  'forbidden-key': 'An object holds a key that is not accepted.',
  number: 'A number cannot be held exactly; send it as a string.',
  surrogate: 'A string holds a lone surrogate.',
  nul: 'A string holds the NUL character.',
};

/** A refusal of `parseStrictJson`. Its message never repeats the input. */
export class StrictJsonError extends Error {
  constructor(
    readonly reason: StrictJsonReason,
    /** Keys from the root to the offending place, where there is one. */
    readonly path?: readonly (string | number)[],
  ) {
    super(MESSAGES[reason]);
    this.name = 'StrictJsonError';
  }
}

/**
 * Reads JSON as I-JSON (RFC 7493): UTF-8 without a mark, no duplicate keys, no lone surrogates, no
 * number that a double does not hold exactly (beyond 2^53 − 1 for integers, `1e400`). It also refuses
 * NUL characters, `__proto__` keys and `constructor` keys whose object holds `prototype`.
 * `maxDepth` (default 64) bounds nested containers.
 *
 * Throws `StrictJsonError`. Empty input is `syntax`.
 */
export function parseStrictJson(bytes: Uint8Array, options: { readonly maxDepth?: number } = {}): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StrictJsonError('utf8');
  }
  if (text.charCodeAt(0) === 0xfeff) throw new StrictJsonError('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError('syntax');
  }
  const problem = scanJson(text, options.maxDepth ?? 64);
  if (problem !== undefined) throw new StrictJsonError(problem.reason, problem.path);
  return value;
}
