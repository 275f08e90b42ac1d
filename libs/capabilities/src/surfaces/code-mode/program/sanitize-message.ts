import { scrub } from '../../../errors/scrub.js';

const LONGEST = 512;
/** Absolute paths below home, private and temporary folders, and below a Windows drive. */
const PATHS = /(?:\/(?:Users|home|private|tmp|var\/folders)\/|\b[A-Za-z]:\\)[^\s"'`<>|,;)]*/g;

/** A message as it may leave a program: no file paths, no secrets, at most 512 characters. */
export function sanitizeMessage(message: string): string {
  return scrub(message).replaceAll(PATHS, '[path]').slice(0, LONGEST);
}
