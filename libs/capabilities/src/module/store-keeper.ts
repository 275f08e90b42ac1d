import type { CapabilityStore } from '../execution/capability-store.js';
import type { FaultLogger } from '../execution/fault-logger.js';
import { describeFault } from '../errors/describe-fault.js';

const SWEEP_MS = 60_000;

/** Opens the store at boot and sweeps it every minute: overdue approvals expire, abandoned claims become unknown. */
export class StoreKeeper {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: CapabilityStore,
    private readonly logger: FaultLogger,
  ) {}

  /** Rejects when the store cannot be prepared: the application must not start without it. */
  async open(): Promise<void> {
    await this.store.open();
    this.timer = setInterval(() => {
      this.store.sweep().catch((error: unknown) => {
        this.logger.warn(`The store could not be swept: ${describeFault(error)}`);
      });
    }, SWEEP_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }
}
