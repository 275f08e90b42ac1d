import { describeFault } from '../errors/describe-fault.js';
import type { FaultLogger } from './fault-logger.js';
import type { LimitLease } from './limits-port.js';

/** Gives a concurrency slot back. Whatever `release` does, the call has its outcome: a fault is logged. */
export async function freeLease(lease: LimitLease, logger: FaultLogger): Promise<void> {
  try {
    await lease.release();
  } catch (error) {
    logger.warn(`A slot was not freed: ${describeFault(error)}`);
  }
}
