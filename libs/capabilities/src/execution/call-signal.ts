import { CapabilityError } from '../errors/capability-error.js';
import { DeadlineSweep, type Expiring } from '../kernel/deadline-sweep.js';
import { onceAborted } from '../kernel/shared-abort.js';

const sweep = new DeadlineSweep();
/** Node clamps longer timers to 1 ms. */
const LONGEST_MS = 2_147_483_647;

/**
 * The one signal of a call: the caller's cancellation and the deadline over the whole
 * call. An `AbortSignal` is made only when somebody asks for it.
 */
export class CallSignal implements Expiring {
  private controller: AbortController | undefined;
  private ended: 'cancelled' | 'timeout' | undefined;
  private tick: number | undefined;
  private due = Infinity;
  private left = Infinity;
  private pauses = 0;
  private disposed = false;
  private readonly listeners = new Set<(error: CapabilityError) => void>();
  private readonly forgetCaller: (() => void) | undefined;

  constructor(caller: AbortSignal | undefined) {
    if (caller === undefined) return;
    if (caller.aborted) this.ended = 'cancelled';
    else this.forgetCaller = onceAborted(caller, () => this.abort('cancelled'));
  }

  /** Starts the deadline. */
  arm(timeoutMs: number): void {
    this.due = performance.now() + timeoutMs;
    this.tick = sweep.arm(this, Math.min(timeoutMs, LONGEST_MS));
  }

  /**
   * Runs `wait` with the deadline stopped: time spent waiting for a human does not count. Of several waits
   * at once the first stops it and the last lets it go on.
   */
  async paused<T>(wait: () => Promise<T>): Promise<T> {
    if (this.pauses++ === 0) {
      this.left = this.due - performance.now();
      if (this.tick !== undefined) sweep.disarm(this, this.tick);
    }
    try {
      return await wait();
    } finally {
      if (--this.pauses === 0 && this.ended === undefined && !this.disposed) this.arm(this.left);
    }
  }

  /** What handlers, policies and resolvers receive. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.ended !== undefined) this.controller.abort(this.error());
    }
    return this.controller.signal;
  }

  /** Throws CANCELLED or TIMEOUT when the call has ended; asked before every side effect. */
  check(): void {
    if (this.ended !== undefined) throw this.error();
  }

  /** Settles with `work`, or rejects as soon as the call ends. */
  race<T>(work: PromiseLike<T>): Promise<T> {
    // A thenable of the application's may settle with another one: as a promise it settles with a value.
    const settling = Promise.resolve(work);
    if (this.ended !== undefined) {
      void settling.catch(() => undefined);
      return Promise.reject(this.error());
    }
    return new Promise<T>((resolve, reject) => {
      this.listeners.add(reject);
      const settle = (): void => void this.listeners.delete(reject);
      settling.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  /** Runs `listener` when the call ends early; returns its removal. */
  onAbort(listener: (error: CapabilityError) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  expire(): void {
    this.abort('timeout');
  }

  /** Frees the deadline and the listener on the caller's signal. */
  dispose(): void {
    this.disposed = true;
    if (this.tick !== undefined) sweep.disarm(this, this.tick);
    this.forgetCaller?.();
    this.listeners.clear();
  }

  private abort(how: 'cancelled' | 'timeout'): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    const error = this.error();
    this.controller?.abort(error);
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) listener(error);
  }

  private error(): CapabilityError {
    return new CapabilityError(this.ended === 'timeout' ? 'TIMEOUT' : 'CANCELLED');
  }
}
