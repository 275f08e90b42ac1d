import { type OptionRule, shown } from './option-rule.js';

/** A policy: a name, a phase, an `evaluate`; `hides` only where nothing has been revealed yet. */
export const policyRule: OptionRule = (candidate, path, report) => {
  if (typeof candidate !== 'object' || candidate === null) {
    report('POLICY_INVALID', `\`${path}\` is ${shown(candidate)}`, 'Set it to { name, phase, evaluate }');
    return;
  }
  const { name, phase, hides, evaluate } = candidate as Record<string, unknown>;
  const label =
    typeof name === 'string' && name !== '' ? `the policy ${JSON.stringify(name)}` : `the policy \`${path}\``;
  if (typeof name !== 'string' || name.trim() === '') {
    report(
      'POLICY_INVALID',
      `${label} has no name`,
      'Give the policy a name; it is recorded with every decision',
    );
  }
  if (phase !== 'access' && phase !== 'invocation') {
    report(
      'POLICY_INVALID',
      `${label} has the phase ${shown(phase)}`,
      "Set `phase` to 'access' or 'invocation'",
    );
  }
  if (typeof evaluate !== 'function') {
    report('POLICY_INVALID', `${label} has no \`evaluate\` method`, 'Implement `evaluate(request)`');
  }
  if (hides !== undefined && typeof hides !== 'boolean') {
    report('POLICY_INVALID', `${label} has \`hides\` set to ${shown(hides)}`, 'Set `hides` to true or false');
  }
  if (hides === true && phase === 'invocation') {
    report(
      'POLICY_INVALID',
      `${label} declares \`hides\` in the invocation phase, after the input was already judged`,
      "Move it to `phase: 'access'`, or deny instead of hiding",
    );
  }
};
