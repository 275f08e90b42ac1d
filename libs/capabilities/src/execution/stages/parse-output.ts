import { CapabilityError } from '../../errors/capability-error.js';
import type { ParseResult } from '../../kernel/compiled-schema.js';
import { isPromiseLike } from '../../kernel/promise-like.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';

/** Stage 13: unknown keys are stripped; a mismatch is our fault (OUTPUT_INVALID) and never shown. */
export function parseOutput(definition: CapabilityDefinition, value: unknown): unknown {
  if (definition.output === undefined) return value;
  const parsing = definition.output.parse(value);
  return isPromiseLike(parsing) ? parsing.then(accept) : accept(parsing);
}

function accept(parsed: ParseResult): unknown {
  if (parsed.ok) return parsed.value;
  const places = parsed.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
  throw new CapabilityError('OUTPUT_INVALID', {
    cause: new TypeError(`Output does not fit its schema: ${places.join('; ')}`),
  });
}
