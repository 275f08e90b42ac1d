import { Logger } from '@nestjs/common';
import { FaultLogger } from '../execution/fault-logger.js';

/** Writes masked faults to the application's Nest logger. */
export class NestFaultLogger extends FaultLogger {
  private readonly logger = new Logger('Capabilities');

  error(message: string, detail: Parameters<FaultLogger['error']>[1]): void {
    this.logger.error(`${message} [reference ${detail.referenceId}] ${detail.error}`);
  }

  warn(message: string): void {
    this.logger.warn(message);
  }
}
