/** What a program wrote, before and after it was made to fit. */
export interface ProgramOutput {
  /** JSON text. */
  readonly result: string;
  readonly logs: readonly string[];
}

export interface FittedOutput {
  readonly result: unknown;
  readonly logs: readonly string[];
  readonly truncated: boolean;
}

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');
const QUOTES = 2;

/**
 * Fits a result and its logs into a budget of UTF-8 bytes: the JSON of the result first (`null` is free), then
 * the logs in order. A result that does not fit becomes a string: as much of its JSON text as still fits when
 * written as a JSON string, or null. The first log that does not fit is cut and ends the list; empty logs are free.
 */
export function fitOutput({ result, logs }: ProgramOutput, budget: number): FittedOutput {
  const fitted = fitResult(result, budget);
  const rest = fitLogs(logs, budget - fitted.used);
  return { result: fitted.value, logs: rest.kept, truncated: fitted.truncated || rest.truncated };
}

function fitResult(json: string, budget: number): { value: unknown; used: number; truncated: boolean } {
  if (json === 'null') return { value: null, used: 0, truncated: false };
  const size = bytes(json);
  if (size <= budget) return { value: JSON.parse(json), used: size, truncated: false };
  if (budget < QUOTES) return { value: null, used: 0, truncated: true };
  const prefix = prefixWithin(
    json,
    budget - QUOTES,
    (character) => bytes(JSON.stringify(character)) - QUOTES,
  );
  return { value: prefix, used: bytes(JSON.stringify(prefix)), truncated: true };
}

function fitLogs(logs: readonly string[], budget: number): { kept: readonly string[]; truncated: boolean } {
  const kept: string[] = [];
  let left = budget;
  for (const line of logs) {
    const size = bytes(line);
    if (size > left) {
      const prefix = prefixWithin(line, left, bytes);
      return { kept: prefix === '' ? kept : [...kept, prefix], truncated: true };
    }
    kept.push(line);
    left -= size;
  }
  return { kept, truncated: false };
}

/** The longest beginning whose code points cost at most `budget`. */
function prefixWithin(text: string, budget: number, costOf: (character: string) => number): string {
  let end = 0;
  let left = budget;
  for (const character of text) {
    left -= costOf(character);
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}
