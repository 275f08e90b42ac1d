import { mapName } from '../../../contract/capability-name.js';

/**
 * The name of a capability as a tool, the only one that is listed and accepted: dots become `_`, and a name that
 * starts with neither letter nor `_` gets a `_` in front, as Gemini demands one and the others allow it.
 */
export function assistantToolName(name: string): string {
  const mapped = mapName(name);
  return /^[A-Za-z_]/.test(mapped) ? mapped : `_${mapped}`;
}
