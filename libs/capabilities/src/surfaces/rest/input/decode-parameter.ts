import { CapabilityError } from '../../../errors/capability-error.js';
import type { WireShape } from './wire-shape.js';

/** The number grammar of JSON (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Decodes the text of one path or query parameter by its property's shape. Text that does not fit stays
 * a string, so that the schema's own parse names the field. Throws INPUT_INVALID for a repeated scalar.
 */
export function decodeParameter(
  field: string,
  values: readonly string[],
  shape: WireShape | undefined,
): unknown {
  if (shape?.kind === 'array') return values.map((value) => decodeScalar(value, shape.items));
  const [value] = values;
  if (values.length > 1 || value === undefined) {
    throw new CapabilityError('INPUT_INVALID', { field, message: `${field}: Give this parameter once.` });
  }
  return decodeScalar(value, shape);
}

function decodeScalar(text: string, shape: WireShape | undefined): unknown {
  switch (shape?.kind) {
    case 'integer':
    case 'number':
      return decodeNumber(text);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

/** A number that a double does not hold stays text, as a body's would be refused. */
function decodeNumber(text: string): number | string {
  if (!NUMBER.test(text)) return text;
  const value = Number(text);
  const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return exact ? value : text;
}
