import type { RecordedCall, SettledCall } from './program-store.js';

/** Hands recorded answers out in the order in which the program first received them. */
export class ReplayTurns {
  private readonly order: readonly number[];
  private readonly waiting = new Map<number, () => void>();
  private next = 0;

  constructor(calls: Iterable<RecordedCall>) {
    this.order = [...calls]
      .filter((call): call is SettledCall => call.state === 'settled')
      .sort((a, b) => a.order - b.order)
      .map(({ index }) => index);
  }

  /** Resolves when it is the recorded call's turn. */
  turn(index: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.set(index, resolve);
      this.advance();
    });
  }

  /** True when a recorded answer waits for a call that the program has not repeated. */
  get stalled(): boolean {
    return this.waiting.size > 0;
  }

  private advance(): void {
    for (;;) {
      const index = this.order[this.next];
      const resolve = index === undefined ? undefined : this.waiting.get(index);
      if (index === undefined || resolve === undefined) return;
      this.waiting.delete(index);
      this.next += 1;
      resolve();
    }
  }
}
