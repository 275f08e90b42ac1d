import { Logger } from '@nestjs/common';
import { FaultLogger } from '../execution/fault-logger.js';

/** Writes masked faults to the application's Nest logger. One that fails cannot decide a call. */
export class NestFaultLogger extends FaultLogger {
  private readonly logger = new Logger('Capabilities');

  error(message: string, detail: Parameters<FaultLogger['error']>[1]): void {
    quietly(() => this.logger.error(`${message} [reference ${detail.referenceId}] ${detail.error}`));
  }

  warn(message: string): void {
    quietly(() => this.logger.warn(message));
  }
}

function quietly(log: () => void): void {
  try {
    log();
  } catch {
    // There is nowhere left to tell.
  }
}
