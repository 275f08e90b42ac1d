import { SystemClock } from '../kernel/clock.js';

/** The system's clock, moved forward by hand: for windows, leases and expiries in tests. */
export class ShiftedClock extends SystemClock {
  private shift = 0;

  override now(): number {
    return super.now() + this.shift;
  }

  override offset(): number {
    return this.shift;
  }

  advance(milliseconds: number): void {
    this.shift += milliseconds;
  }
}
