import type { SurfaceId } from '../../contract/surface.js';
import { WIRE_SURFACES } from '../../contract/surface.js';
import { CapabilityError, type ErrorIssue } from '../../errors/capability-error.js';
import type { SchemaIssue } from '../../kernel/compiled-schema.js';
import { isPromiseLike } from '../../kernel/promise-like.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import type { ReadInput } from '../execution-request.js';

/** The raw input, decoded from the transport; absent is `{}`. Throws MEDIA_TYPE, TOO_LARGE or INPUT_INVALID. */
export function readRaw(read: ReadInput): unknown {
  const raw = read();
  return raw === undefined ? {} : raw;
}

/** Stage 5: unknown keys, then the one parse. Throws INPUT_INVALID. Synchronous wherever the schema is. */
export function parseInput(definition: CapabilityDefinition, raw: unknown, surface: SurfaceId): unknown {
  const { input } = definition;
  const unknown = input.unknownKey(raw);
  if (unknown !== undefined) throw unknownKey(unknown);
  const decoded = WIRE_SURFACES.has(surface) ? input.decodeWire(raw) : raw;
  const parsed = input.parse(decoded);
  if (isPromiseLike(parsed)) {
    return parsed.then((result) => {
      if (!result.ok) throw invalidInput(result.issues);
      return result.value;
    });
  }
  if (!parsed.ok) throw invalidInput(parsed.issues);
  return parsed.value;
}

/** 1–255 visible ASCII characters. Throws INPUT_INVALID naming the header. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new CapabilityError('INPUT_INVALID', {
    message: 'The idempotency key must be 1 to 255 visible ASCII characters.',
    field: 'Idempotency-Key',
  });
}

const dotted = (path: readonly (string | number)[]): string => path.join('.');

function unknownKey(path: readonly (string | number)[]): CapabilityError {
  const field = dotted(path);
  const message = `Unknown field: ${field}.`;
  return new CapabilityError('INPUT_INVALID', {
    message,
    field,
    issues: [{ field, message: 'Unknown field.' }],
  });
}

/** INPUT_INVALID that names the first field and lists every issue. */
function invalidInput(issues: readonly SchemaIssue[]): CapabilityError {
  const listed: readonly ErrorIssue[] = issues.map((issue) => ({
    field: dotted(issue.path),
    message: issue.message,
  }));
  const first = issues[0];
  if (first === undefined) return new CapabilityError('INPUT_INVALID');
  const field = dotted(first.path);
  return new CapabilityError('INPUT_INVALID', {
    message: field === '' ? first.message : `${field}: ${first.message}`,
    issues: listed,
    ...(field === '' ? {} : { field }),
    ...(first.allowed === undefined ? {} : { allowed: first.allowed }),
  });
}
