import { isRecord } from '../kernel/json.js';
import { checkApproval } from './check-approval.js';
import { nameProblem } from './capability-name.js';
import type { CapabilityOptions } from './capability-options.js';
import type { DeclarationPlace, DeclarationProblem } from './declaration-problem.js';
import { checkKeys, type OptionRules, type Report, shown } from './option-rule.js';
import { policyRule } from './policy-shape.js';
import { CAPABILITY_RULES, DEFAULTS_RULES, HOST_RULES } from './option-rules.js';
import { declaredSideEffect, isReadOnlyEffect } from './side-effect.js';

/** Everything that can be judged from the merged options of one capability alone. Empty when it is well formed. */
export function checkDeclaration(options: unknown, place: DeclarationPlace): readonly DeclarationProblem[] {
  const { problems, report } = collect(place);
  if (!isRecord(options)) {
    report(
      'OPTION_INVALID',
      `the options are ${shown(options)}`,
      'Pass an object or a contract to @Capability()',
    );
    return problems;
  }
  checkKeys(options, CAPABILITY_RULES, '', report);
  const declared = options as Partial<CapabilityOptions>;
  checkRequired(declared, report);
  checkName(declared.name, report);
  checkSideEffect(declared, report);
  checkPolicyNames(declared.policies, report);
  checkWriteSafety(declared, report);
  checkApproval(declared, report);
  if (declared.args !== undefined && declared.inputSchema === undefined) {
    report(
      'ARGS_WITHOUT_SCHEMA',
      '`args` is set without `inputSchema`: the first parameter is not the input',
      'Pass `inputSchema`',
    );
  }
  return problems;
}

/** Everything that can be judged from the options of one `@CapabilityHost()`. */
export function checkHost(options: unknown, className: string): readonly DeclarationProblem[] {
  return checkLevel(options, HOST_RULES, { capability: '@CapabilityHost()', className, methodName: '' });
}

/** Everything that can be judged from `forRoot({ defaults })`. */
export function checkDefaults(options: unknown): readonly DeclarationProblem[] {
  return checkLevel(options, DEFAULTS_RULES, {
    capability: 'forRoot({ defaults })',
    className: 'CapabilitiesModule',
    methodName: '',
  });
}

/** Everything that can be judged from one list of policies. */
export function checkPolicies(
  policies: readonly unknown[],
  place: DeclarationPlace,
): readonly DeclarationProblem[] {
  const { problems, report } = collect(place);
  policies.forEach((policy, index) => policyRule(policy, `policies[${index}]`, report));
  checkPolicyNames(policies, report);
  return problems;
}

function checkLevel(
  options: unknown,
  rules: OptionRules,
  place: DeclarationPlace,
): readonly DeclarationProblem[] {
  const { problems, report } = collect(place);
  if (isRecord(options)) checkKeys(options, rules, '', report);
  else report('OPTION_INVALID', `the options are ${shown(options)}`, 'Pass an object');
  return problems;
}

/** A list of problems at one place, and the function that adds to it. */
export function collect(place: DeclarationPlace): { problems: DeclarationProblem[]; report: Report } {
  const problems: DeclarationProblem[] = [];
  const report: Report = (code, problem, remedy) => problems.push({ ...place, code, problem, remedy });
  return { problems, report };
}

const INHERITED = {
  expose: "for example ['rest', 'mcp']; [] reaches nothing",
  risk: "'low', 'medium', 'high' or 'critical'",
  permission: 'a permission, or null for none',
};

function checkRequired(options: Partial<CapabilityOptions>, report: Report): void {
  if (options.description === undefined) {
    report(
      'OPTION_MISSING',
      '`description` is missing',
      'Describe what the capability does; models and people choose by it',
    );
  }
  for (const [key, example] of Object.entries(INHERITED)) {
    if (options[key as keyof typeof INHERITED] !== undefined) continue;
    report(
      'OPTION_MISSING',
      `\`${key}\` is set nowhere`,
      `Set \`${key}\` on the method, on its @CapabilityHost() or in forRoot({ defaults }): ${example}`,
    );
  }
}

function checkName(name: unknown, report: Report): void {
  if (name === undefined) {
    report(
      'OPTION_MISSING',
      '`name` is missing and the host has no namespace',
      'Set `name`, or `namespace` in @CapabilityHost()',
    );
    return;
  }
  const problem = nameProblem(name);
  if (problem !== undefined)
    report('NAME_INVALID', problem, 'Choose a name such as orders.find, 64 characters at most');
}

function checkSideEffect({ sideEffect, annotations }: Partial<CapabilityOptions>, report: Report): void {
  if (sideEffect === undefined && annotations === undefined) {
    report(
      'SIDE_EFFECT_UNCLEAR',
      'neither `sideEffect` nor `annotations` is set',
      'Declare what a call does: `sideEffect`, or a short form such as @Capability.read()',
    );
  }
  if (sideEffect !== undefined && annotations !== undefined) {
    report('SIDE_EFFECT_UNCLEAR', '`sideEffect` and `annotations` are both set', 'Keep one of them');
  }
  if (annotations?.readOnly && annotations.destructive) {
    report(
      'SIDE_EFFECT_UNCLEAR',
      '`annotations` says read-only and destructive',
      'Set one of `readOnly` and `destructive` to false',
    );
  }
}

function checkPolicyNames(policies: unknown, report: Report): void {
  if (!Array.isArray(policies)) return;
  const seen = new Set<unknown>();
  for (const name of policies.map((policy: unknown) => (policy as { name?: unknown } | null)?.name)) {
    if (typeof name === 'string' && seen.has(name)) {
      report(
        'POLICY_DUPLICATE',
        `two policies are named ${JSON.stringify(name)}`,
        'Give each policy its own name',
      );
    }
    seen.add(name);
  }
}

function checkWriteSafety(options: Partial<CapabilityOptions>, report: Report): void {
  const sideEffect = declaredSideEffect(options);
  if (sideEffect === undefined || isReadOnlyEffect(sideEffect)) return;
  if (options.retry !== undefined && options.retry?.maxAttempts !== 0 && options.idempotent !== true) {
    report(
      'RETRY_UNSAFE',
      `\`retry\` on the side effect ${sideEffect} could repeat the effect`,
      'Remove `retry`, or set `idempotent: true` if a repeated call has no further effect',
    );
  }
  if (options.http?.method === 'GET') {
    report(
      'GET_ON_WRITE',
      `GET on the side effect ${sideEffect}: caches and prefetchers may call it`,
      'Use POST, PUT, PATCH or DELETE',
    );
  }
}
