import type { DeclarationProblem } from './declaration-problem.js';

const BRAND = Symbol.for('nest-capabilities.CapabilityDefinitionError');

/** Refuses to start: lists every problem of every declaration, each with its capability, class, method and remedy. */
export class CapabilityDefinitionError extends Error {
  readonly [BRAND] = true;
  readonly problems: readonly DeclarationProblem[];

  constructor(problems: readonly DeclarationProblem[]) {
    super(message(problems));
    this.name = 'CapabilityDefinitionError';
    this.problems = Object.freeze([...problems]);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

function message(problems: readonly DeclarationProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [`The capabilities cannot start: ${count}.`, ...problems.map(line)].join('\n');
}

function line(item: DeclarationProblem, index: number): string {
  const place = item.methodName === '' ? item.className : `${item.className}.${item.methodName}`;
  return `  ${index + 1}. ${item.capability} (${place}) [${item.code}]: ${sentence(item.problem)}\n     ${sentence(item.remedy)}`;
}

const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
