import { CapabilityError } from '../../../errors/capability-error.js';
import { parseStrictJson, StrictJsonError } from '../../../kernel/strict-json.js';
import type { CapturedBody } from './captured-body.js';
import { isJsonMediaType } from '../../media-type.js';

/**
 * Stage 5 of a request with a body: size, content encoding, media type, strict JSON. An empty body with
 * no or a JSON media type is absent input, `undefined`. Throws TOO_LARGE, MEDIA_TYPE or INPUT_INVALID.
 */
export function readJsonBody(body: CapturedBody): unknown {
  switch (body.kind) {
    case 'oversize':
      throw new CapabilityError('TOO_LARGE');
    case 'encoded':
      throw new CapabilityError('MEDIA_TYPE');
    case 'taken':
      throw new Error(
        'Something read the request body before the REST surface; mount body parsers after it.',
      );
    case 'bytes':
      return readBytes(body.bytes, body.contentType);
  }
}

function readBytes(bytes: Buffer, contentType: string | undefined): unknown {
  const isJson = contentType !== undefined && isJsonMediaType(contentType);
  if (!isJson && (contentType !== undefined || bytes.length > 0)) throw new CapabilityError('MEDIA_TYPE');
  if (bytes.length === 0) return undefined;
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw error instanceof StrictJsonError ? refused(error) : error;
  }
}

function refused(error: StrictJsonError): CapabilityError {
  const field = error.path?.join('.') ?? '';
  return new CapabilityError('INPUT_INVALID', { message: error.message, ...(field === '' ? {} : { field }) });
}
