import { CapabilityError } from '../../../errors/capability-error.js';

/**
 * Reads the query of a request target: repeated keys in order, `+` as a space (WHATWG URL,
 * `application/x-www-form-urlencoded`). The same on every HTTP adapter.
 * Throws INPUT_INVALID for percent-encoding that is not UTF-8, for NUL and for `__proto__`.
 */
export function readQuery(target: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const start = target.indexOf('?');
  if (start === -1) return found;
  const [query = ''] = target.slice(start + 1).split('#');
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    if (key === '__proto__') throw refused('__proto__ is not an accepted parameter.', key);
    const values = found.get(key);
    if (values === undefined) found.set(key, [value]);
    else values.push(value);
  }
  return found;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refused('The query is not percent-encoded UTF-8.');
  }
  if (decoded.includes('\0')) throw refused('The query holds the NUL character.');
  return decoded;
}

const refused = (message: string, field?: string): CapabilityError =>
  new CapabilityError('INPUT_INVALID', { message, ...(field === undefined ? {} : { field }) });
