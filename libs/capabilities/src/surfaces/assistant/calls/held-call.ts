import type { Outcome } from '../../../execution/outcome.js';

/** Runs a call that waits for `beforeTake` before it has any effect. */
export type HeldRun = (beforeTake: () => Promise<void>, signal: AbortSignal) => Promise<Outcome>;

/**
 * A call that is stopped where only the take is left: by then it is known whether a person has to decide. It runs
 * when it is finished, and ends with its deadline when it never is.
 */
export class HeldCall {
  private readonly abort = new AbortController();
  private readonly outcome: Promise<Outcome>;
  private release: () => void = () => undefined;
  /** Resolves to what the call came to before the take, or to `'ready'`. */
  readonly reached: Promise<Outcome | 'ready'>;

  constructor(run: HeldRun) {
    const gate = new Promise<void>((resolve) => (this.release = resolve));
    let ready: () => void = () => undefined;
    const atGate = new Promise<'ready'>((resolve) => (ready = () => resolve('ready')));
    const beforeTake = (): Promise<void> => {
      ready();
      return gate;
    };
    this.outcome = run(beforeTake, this.abort.signal);
    this.reached = Promise.race([this.outcome, atGate]);
  }

  /** Lets the call run. Undefined when it ended while it was held: nothing ran, and it can be made again. */
  async finish(signal?: AbortSignal): Promise<Outcome | undefined> {
    const held = await this.reached;
    if (held !== 'ready') return held;
    const ended = await Promise.race([this.outcome, PENDING]);
    if (ended !== 'pending') return undefined;
    if (signal?.aborted === true) this.abort.abort();
    else signal?.addEventListener('abort', () => this.abort.abort(), { once: true });
    this.release();
    return this.outcome;
  }
}

const PENDING = Promise.resolve('pending' as const);
