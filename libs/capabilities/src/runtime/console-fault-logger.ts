import { FaultLogger } from '../execution/fault-logger.js';

/** Writes masked faults to standard error. */
export class ConsoleFaultLogger extends FaultLogger {
  error(message: string, detail: { readonly referenceId: string; readonly error: string }): void {
    this.warn(`${message} (reference ${detail.referenceId})\n${detail.error}`);
  }

  warn(message: string): void {
    process.stderr.write(`${message}\n`);
  }
}
