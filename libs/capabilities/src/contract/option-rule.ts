import { isRecord } from '../kernel/json.js';
import type { DeclarationProblemCode } from './declaration-problem.js';
import { nearestWord } from './nearest-word.js';

/** Takes one problem of the declaration under check. Both sentences go without their full stop. */
export type Report = (code: DeclarationProblemCode, problem: string, remedy: string) => void;

/** Checks the value of one option; `path` is how the option is named to the reader. */
export type OptionRule = (value: unknown, path: string, report: Report) => void;

export type OptionRules = Readonly<Record<string, OptionRule>>;

const MAX_SHOWN = 60;

/** A value in a few words, for messages. */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A rule by predicate. `expected` completes "Set it to …". */
export function value(
  expected: string,
  accepts: (candidate: unknown) => boolean,
  code: DeclarationProblemCode = 'OPTION_INVALID',
): OptionRule {
  return (candidate, path, report) => {
    if (!accepts(candidate)) report(code, `\`${path}\` is ${shown(candidate)}`, `Set it to ${expected}`);
  };
}

/** A rule for an object with known keys. An unset optional key is fine, a key nobody knows is not. */
export function object(rules: OptionRules, required: readonly string[] = []): OptionRule {
  return (candidate, path, report) => {
    if (!isRecord(candidate)) {
      report('OPTION_INVALID', `\`${path}\` is ${shown(candidate)}`, 'Set it to a plain object');
      return;
    }
    checkKeys(candidate, rules, `${path}.`, report);
    for (const key of required) {
      if (candidate[key] === undefined)
        report('OPTION_MISSING', `\`${path}.${key}\` is missing`, `Set \`${path}.${key}\``);
    }
  };
}

/** A rule for an array whose items follow one rule. */
export function list(item: OptionRule): OptionRule {
  return (candidate, path, report) => {
    if (!Array.isArray(candidate)) {
      report('OPTION_INVALID', `\`${path}\` is ${shown(candidate)}`, 'Set it to an array');
      return;
    }
    candidate.forEach((entry, index) => item(entry, `${path}[${index}]`, report));
  };
}

/** A rule for an object with free keys whose values follow one rule. */
export function dictionary(item: OptionRule): OptionRule {
  return (candidate, path, report) => {
    if (!isRecord(candidate)) {
      report('OPTION_INVALID', `\`${path}\` is ${shown(candidate)}`, 'Set it to a plain object');
      return;
    }
    for (const [key, entry] of Object.entries(candidate)) item(entry, `${path}.${key}`, report);
  };
}

/** Reports every key without a rule and applies the rules of the others. `undefined` counts as unset. */
export function checkKeys(
  record: Readonly<Record<string, unknown>>,
  rules: OptionRules,
  prefix: string,
  report: Report,
): void {
  for (const [key, candidate] of Object.entries(record)) {
    if (candidate === undefined) continue;
    if (Object.hasOwn(rules, key)) {
      rules[key]?.(candidate, `${prefix}${key}`, report);
      continue;
    }
    const near = nearestWord(key, Object.keys(rules));
    report(
      'OPTION_UNKNOWN',
      `\`${prefix}${key}\` is not an option`,
      near === undefined
        ? `Remove it; known here: ${Object.keys(rules).join(', ')}`
        : `Did you mean \`${prefix}${near}\`? Otherwise remove it`,
    );
  }
}
