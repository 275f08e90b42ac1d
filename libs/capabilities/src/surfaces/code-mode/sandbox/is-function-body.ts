const AsyncFunction = (async () => undefined).constructor as (body: string) => unknown;

/**
 * True when the text is the body of an async function in strict mode. It is compiled and never run: the parser
 * takes a body by itself, so text that closes the function early is refused (ECMA-262, CreateDynamicFunction).
 */
export function isFunctionBody(code: string): boolean {
  try {
    AsyncFunction(`"use strict";\n${code}\n`);
    return true;
  } catch {
    return false;
  }
}
