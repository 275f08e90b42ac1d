const TICK_MS = 10;

/** Something that ends when its time is up. */
export interface Expiring {
  expire(): void;
}

/**
 * One shared timer for all running calls: deadlines fall into ticks of 10 ms and each
 * tick has one timer, so arming a deadline costs a set insertion instead of a timer.
 */
export class DeadlineSweep {
  private readonly ticks = new Map<number, Set<Expiring>>();

  /** Calls `entry.expire()` in `ms` milliseconds, at most one tick late, unless disarmed. Returns the tick. */
  arm(entry: Expiring, ms: number): number {
    const tick = Math.ceil((performance.now() + ms) / TICK_MS);
    const due = this.ticks.get(tick);
    if (due === undefined) {
      this.ticks.set(tick, new Set([entry]));
      setTimeout(() => this.sweep(tick), tick * TICK_MS - performance.now()).unref();
    } else {
      due.add(entry);
    }
    return tick;
  }

  /** Takes a deadline back. */
  disarm(entry: Expiring, tick: number): void {
    this.ticks.get(tick)?.delete(entry);
  }

  private sweep(tick: number): void {
    const due = this.ticks.get(tick);
    this.ticks.delete(tick);
    for (const entry of due ?? []) entry.expire();
  }
}
