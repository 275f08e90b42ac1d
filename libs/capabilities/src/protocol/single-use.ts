/** Remembers which one-time handles were used (port). Shared between instances that serve one endpoint. */
export abstract class SingleUseStore {
  /** True for the first caller with this id, false ever after until `expiresAt` (milliseconds since the epoch). */
  abstract consume(id: string, expiresAt: number, now: number): boolean | Promise<boolean>;
}

/** Single use within one process. */
export class MemorySingleUseStore extends SingleUseStore {
  private readonly used = new Map<string, number>();
  private sweepAt = 1024;

  consume(id: string, expiresAt: number, now: number): boolean {
    if (this.used.has(id)) return false;
    this.used.set(id, expiresAt);
    if (this.used.size >= this.sweepAt) this.sweep(now);
    return true;
  }

  /** Expired handles are refused by their own date; forgetting them is safe. */
  private sweep(now: number): void {
    for (const [id, expiresAt] of this.used) if (expiresAt <= now) this.used.delete(id);
    this.sweepAt = Math.max(1024, this.used.size * 2);
  }
}
