/** Remembers which one-time handles were used (port). Shared between instances that serve one endpoint. */
export abstract class SingleUseStore {
  /** Prepares the store at boot; rejects to stop the boot. */
  abstract open(): void | Promise<void>;
  /** True for the first caller with this id, false for every later one within `keepMs` milliseconds. */
  abstract consume(id: string, keepMs: number): boolean | Promise<boolean>;
}
