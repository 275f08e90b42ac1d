import { canonicalJson } from '../kernel/canonical-json.js';
import { sha256 } from '../kernel/hash.js';
import type { JsonSchema } from '../kernel/json.js';
import { mapSubschemas } from '../kernel/schema/schema-walk.js';
import type { CapabilityDefinition } from './capability-definition.js';

/** What an approval or a cached list depends on. */
type FingerprintParts = Pick<
  CapabilityDefinition,
  | 'name'
  | 'version'
  | 'sideEffect'
  | 'risk'
  | 'permission'
  | 'approval'
  | 'constraints'
  | 'unknownKeys'
  | 'reversible'
  | 'input'
  | 'output'
  | 'failures'
>;

/**
 * SHA-256 over the canonical JSON (RFC 8785) of a contract. It changes with the schemas and
 * the governance of the capability; code inside schemas (refinements, transforms) is not
 * visible in it, so a change of meaning there is announced by a new `version`. Defaults are left
 * out: computed ones differ in every process, and a stored input has its defaults already.
 */
export function contractFingerprint(parts: FingerprintParts): string {
  const contract = {
    name: parts.name,
    version: parts.version,
    sideEffect: parts.sideEffect,
    risk: parts.risk,
    permission: parts.permission,
    approval: parts.approval,
    constraints: parts.constraints,
    unknownKeys: parts.unknownKeys,
    reversible: parts.reversible,
    input: withoutDefaults(parts.input.exact),
    output: parts.output && withoutDefaults(parts.output.exact),
    failures: [...parts.failures.values()].map(({ tag, schema, status, code }) => ({
      tag,
      status,
      code,
      schema: withoutDefaults(schema.exact),
    })),
  };
  return sha256('nest-capabilities.contract', canonicalJson(contract));
}

function withoutDefaults(schema: JsonSchema): JsonSchema {
  const { default: _, ...copy } = mapSubschemas(schema, withoutDefaults);
  return copy;
}
