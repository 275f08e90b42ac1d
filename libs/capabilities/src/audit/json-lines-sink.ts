import { open, type FileHandle } from 'node:fs/promises';
import type { AuditEvent } from './audit-event.js';
import { AuditSink } from './audit-sink.js';

/** Where lines go; resolves when a line is held. */
export type WriteLine = (line: string) => void | Promise<void>;

/**
 * Writes one JSON object a line. Line breaks, control characters and U+2028/2029 inside values are escaped,
 * so no value can forge a line.
 */
export class JsonLinesSink extends AuditSink {
  constructor(private readonly writeLine: WriteLine) {
    super();
  }

  write(event: AuditEvent): void | Promise<void> {
    return this.writeLine(`${jsonLine(event)}\n`);
  }
}

/** One event on one line, without the line break. */
function jsonLine(event: AuditEvent): string {
  // JSON.stringify escapes C0 controls; C1 controls and the Unicode line separators are escaped here.
  return JSON.stringify(event).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Appends lines to a file, in order; each resolves when the operating system holds it. */
export class FileLines {
  private file: Promise<FileHandle> | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  readonly write: WriteLine = (line) => {
    const written = this.last.then(async () => {
      this.file ??= open(this.path, 'a', 0o600);
      await (await this.file).appendFile(line);
    });
    // One failed line is its caller's to know; the next one is tried on a fresh handle.
    this.last = written.catch(() => void (this.file = undefined));
    return written;
  };

  /** Waits for pending lines and closes the file. */
  async close(): Promise<void> {
    await this.last;
    await (await this.file)?.close();
    this.file = undefined;
  }
}
