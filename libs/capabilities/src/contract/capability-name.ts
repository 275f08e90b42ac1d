/** Longest capability name, in characters. */
const MAX_LENGTH = 64;
const CAPABILITY_NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Names that reach an object's prototype when they are used as keys. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Why a value is not a capability name; undefined when it is one (`seg(.seg)*`, 64 characters at most). */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'the name must be a non-empty string';
  if (name.length > MAX_LENGTH) return `the name has ${name.length} characters, ${MAX_LENGTH} are allowed`;
  if (!CAPABILITY_NAME.test(name)) {
    return `the name ${JSON.stringify(name)} is not segments of A-Z, a-z, 0-9, "_" and "-" joined by dots`;
  }
  if (name.split('.').some((segment) => RESERVED.has(segment)) || RESERVED.has(mapName(name))) {
    return `the name ${JSON.stringify(name)} is reserved`;
  }
  return undefined;
}

/** True for a capability name. */
export function isCapabilityName(name: unknown): name is string {
  return nameProblem(name) === undefined;
}

/** The name on surfaces that forbid dots: `.` becomes `_`. */
export function mapName(name: string): string {
  return name.replaceAll('.', '_');
}

/** True for a name that every tool protocol takes: `[A-Za-z0-9_-]{1,64}`. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}
