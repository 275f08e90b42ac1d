import { SingleUseStore } from '../execution/single-use-store.js';
import { type Clock, SystemClock } from '../kernel/clock.js';

/** Single use within one process. */
export class MemorySingleUseStore extends SingleUseStore {
  private readonly used = new Map<string, number>();
  private sweepAt = 1024;

  constructor(private readonly clock: Clock = new SystemClock()) {
    super();
  }

  open(): void {}

  consume(id: string, keepMs: number): boolean {
    if (this.used.has(id)) return false;
    const now = this.clock.now();
    this.used.set(id, now + keepMs);
    if (this.used.size >= this.sweepAt) this.sweep(now);
    return true;
  }

  private sweep(now: number): void {
    for (const [id, until] of this.used) if (until <= now) this.used.delete(id);
    this.sweepAt = Math.max(1024, this.used.size * 2);
  }
}
