const PREFIX = '=?base64?';
const SUFFIX = '?=';
/** Standard alphabet with full padding (RFC 4648, section 4); Node's decoder alone would accept less. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A field value without the optional white space around it (RFC 9110, section 5.5). */
export function trimField(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '');
}

/** The text of a field value after decoding `=?base64?…?=`; undefined when the encoding is broken. */
export function decodeFieldValue(raw: string): string | undefined {
  const value = trimField(raw);
  const encoded =
    value.startsWith(PREFIX) && value.endsWith(SUFFIX) && value.length >= PREFIX.length + SUFFIX.length;
  if (!encoded) return value;
  const body = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(body)) return undefined;
  try {
    return UTF8.decode(Buffer.from(body, 'base64'));
  } catch {
    return undefined;
  }
}
