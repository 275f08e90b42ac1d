/** Measures the time a program runs by itself, and tells when it has had enough of it. */
export class BusyClock {
  private left: number;
  private since = 0;
  private owed = 0;
  private running = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    limitMs: number,
    private readonly onSpent: () => void,
  ) {
    this.left = limitMs;
  }

  start(): void {
    this.running = true;
    this.resume();
  }

  /** The host owes the program an answer: its time stands still until {@link answered}. */
  asked(): void {
    this.owed += 1;
    if (this.owed === 1) this.pause();
  }

  answered(): void {
    this.owed -= 1;
    if (this.owed === 0) this.resume();
  }

  stop(): void {
    this.pause();
    this.running = false;
  }

  private resume(): void {
    if (!this.running) return;
    this.since = performance.now();
    this.timer = setTimeout(() => this.check(), Math.max(0, this.left));
  }

  private pause(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.left -= performance.now() - this.since;
  }

  /** A busy host may be late with its answers: messages that wait are handled first. */
  private check(): void {
    const due = this.timer;
    setImmediate(() => {
      if (this.timer === due && this.running) this.onSpent();
    });
  }
}
