import { Clock } from '../kernel/clock.js';

/** The system's clock, moved forward by hand: for windows, leases and expiries in tests. */
export class ShiftedClock extends Clock {
  private shift = 0;

  now(): number {
    return Date.now() + this.shift;
  }

  offset(): number {
    return this.shift;
  }

  advance(milliseconds: number): void {
    this.shift += milliseconds;
  }
}
