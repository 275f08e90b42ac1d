import type { IncomingMessage } from 'node:http';
import { CapabilityError } from '../../../../errors/capability-error.js';
import { capturedBody } from '../../body/captured-body.js';

const FORM = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

/** The fields of a form that a browser posted, each once. Throws TOO_LARGE, MEDIA_TYPE or INPUT_INVALID. */
export function readForm(request: IncomingMessage): ReadonlyMap<string, string> {
  const body = capturedBody(request);
  if (body.kind === 'oversize') throw new CapabilityError('TOO_LARGE');
  if (body.kind !== 'bytes' || body.contentType === undefined || !FORM.test(body.contentType)) {
    throw new CapabilityError('MEDIA_TYPE', { message: 'Send the form of the page.' });
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body.bytes.toString('utf8'))) {
    if (fields.has(name)) throw new CapabilityError('INPUT_INVALID', { field: name });
    fields.set(name, value);
  }
  return fields;
}
