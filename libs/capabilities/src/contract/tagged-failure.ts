import { CapabilityFailure } from './capability-failure.js';

/**
 * The declared failure that a thrown value stands for: a `CapabilityFailure`, or an object or
 * error whose `_tag` is declared. Undefined for everything else, which is a fault.
 */
export function declaredFailure(
  thrown: unknown,
  isDeclared: (tag: string) => boolean,
): CapabilityFailure | undefined {
  if (thrown instanceof CapabilityFailure) return isDeclared(thrown.tag) ? thrown : undefined;
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const { _tag: tag, message, fix } = thrown as { _tag?: unknown; message?: unknown; fix?: unknown };
  if (typeof tag !== 'string' || !isDeclared(tag)) return undefined;
  const fields = Object.fromEntries(
    Object.entries({ ...thrown, ...(message !== undefined && { message }) }).filter(
      ([key]) => key !== '_tag',
    ),
  );
  return new CapabilityFailure(tag, fields, typeof fix === 'string' && fix !== '' ? { fix } : {});
}
