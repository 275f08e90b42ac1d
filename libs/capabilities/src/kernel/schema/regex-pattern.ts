/** JSON Schema patterns have no flags and are read with `u`; true when a source means something there. */
export function isUnicodePattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}
