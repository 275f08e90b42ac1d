/** A parameter of a media type (RFC 9110, section 5.6.6). */
const PARAMETER =
  /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+))\s*$/;

/** True for `application/json` whose charset, if any, is UTF-8. */
export function isJsonMediaType(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';');
  const name = type.trim().toLowerCase();
  if (name !== 'application/json') return false;
  return parameters.every(isAcceptable);
}

function isAcceptable(parameter: string): boolean {
  if (parameter.trim() === '') return true;
  const [, name, quoted, token] = PARAMETER.exec(parameter) ?? [];
  if (name === undefined) return false;
  return name.toLowerCase() !== 'charset' || /^utf-?8$/i.test(quoted ?? token ?? '');
}
