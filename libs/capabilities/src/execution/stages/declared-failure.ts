import type { CapabilityFailure } from '../../contract/capability-failure.js';
import { CapabilityError } from '../../errors/capability-error.js';
import { isPromiseLike } from '../../kernel/promise-like.js';
import { toWireJson } from '../../kernel/wire-json.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';

/**
 * A thrown declared failure as the caller may see it: only declared fields survive.
 * An undeclared tag or a value that violates the failure's schema is a masked fault.
 */
export async function declaredFailure(
  definition: CapabilityDefinition,
  failure: CapabilityFailure,
): Promise<CapabilityError> {
  const declared = definition.failures.get(failure.tag);
  if (declared === undefined) return new CapabilityError('INTERNAL', { cause: failure });
  try {
    const parsing = declared.schema.parse(failure.fields);
    const parsed = isPromiseLike(parsing) ? await parsing : parsing;
    if (!parsed.ok) return new CapabilityError('INTERNAL', { cause: failure });
    const fields = toWireJson(parsed.value) as Readonly<Record<string, unknown>>;
    return new CapabilityError('DECLARED_FAILURE', {
      message: failure.message,
      code: declared.code,
      status: declared.status,
      retryable: declared.retryable,
      hint: failure.fix ?? declared.fix,
      failure: { ...fields, tag: failure.tag },
    });
  } catch (error) {
    return new CapabilityError('INTERNAL', { cause: error });
  }
}
