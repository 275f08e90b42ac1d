import type { AdaptedSchema } from './schema-adapter.js';

/** The input of a capability that takes none: an empty object, nothing else. */
export const EMPTY_INPUT: AdaptedSchema = {
  document: { type: 'object', properties: {}, additionalProperties: false },
  rootName: undefined,
  isNamed: () => true,
  parse: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { ok: false, issues: [{ path: [], message: 'Expected an object' }] };
    }
    const [key] = Object.keys(value);
    return key === undefined
      ? { ok: true, value: {} }
      : { ok: false, issues: [{ path: [key], message: 'Unknown key' }] };
  },
  nothing: false,
  transforms: () => false,
  classes: [],
};
