import { CapabilityError } from '../../../errors/capability-error.js';
import { executionId } from '../../../kernel/ids.js';
import type { ProgramSeed } from '../sandbox/sandbox.js';
import type { ProgramRecord, ProgramStore, RecordedCall } from './program-store.js';

/** What a journal is opened with. */
export interface JournalOptions {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds after which a run that said nothing more is given up. */
  readonly leaseMs: number;
  /** Milliseconds for which a program that stopped can go on. */
  readonly keepMs: number;
  /** Seed of a program that has no record yet. */
  readonly seed: ProgramSeed;
}

/** The record of one run of a program: what an earlier run did, and what this one does. */
export class ProgramJournal {
  /** The calls of the earlier run; empty for a program that starts. */
  readonly earlier: ReadonlyMap<number, RecordedCall>;
  private readonly calls: Map<number, RecordedCall>;
  private writing: Promise<boolean> = Promise.resolve(true);
  private stored: boolean;

  private constructor(
    private readonly store: ProgramStore,
    private readonly options: JournalOptions,
    private readonly holder: string,
    record: ProgramRecord | undefined,
  ) {
    this.seed = record?.seed ?? options.seed;
    this.earlier = new Map(record?.calls.map((call) => [call.index, call]));
    this.calls = new Map(this.earlier);
    this.stored = record !== undefined;
  }

  readonly seed: ProgramSeed;

  /** Goes on with the record of the key, or begins without one. Throws IN_PROGRESS when another run holds it. */
  static async open(store: ProgramStore, options: JournalOptions): Promise<ProgramJournal> {
    const { key, now, leaseMs } = options;
    const holder = executionId();
    const claim = await store.claim(key, { holder, now, until: now + leaseMs });
    if (claim.status === 'held') throw new CapabilityError('IN_PROGRESS', { retryAfter: 1 });
    return new ProgramJournal(store, options, holder, claim.status === 'claimed' ? claim.record : undefined);
  }

  /** Notes what a call came to. Nothing is written before {@link write} or {@link suspend}. */
  note(call: RecordedCall): void {
    this.calls.set(call.index, call);
  }

  /** Forgets a call that was noted as started and did not run after all. */
  forget(index: number): void {
    this.calls.delete(index);
  }

  /** Writes the record as it stands: before an effect, and after it. Throws IN_PROGRESS when another run has it. */
  async write(): Promise<void> {
    if (!(await this.save('running', this.options.now + this.options.leaseMs)))
      throw new CapabilityError('IN_PROGRESS', { retryAfter: 1 });
  }

  /** The program stopped before its end: the same code goes on from here, if anything is worth keeping. */
  async suspend(): Promise<void> {
    const worth = [...this.calls.values()].some(({ state }) => state === 'suspended');
    if (worth || this.stored) await this.save('suspended', this.options.now + this.options.keepMs);
  }

  /** The program ended: the same code starts anew. */
  async close(): Promise<void> {
    await this.writing.catch(() => undefined);
    if (this.stored) await this.store.remove(this.options.key, this.holder);
  }

  /** One write after the other, each with everything noted so far. */
  private save(state: ProgramRecord['state'], until: number): Promise<boolean> {
    this.writing = this.writing.then(
      () => this.put(state, until),
      () => this.put(state, until),
    );
    return this.writing;
  }

  private async put(state: ProgramRecord['state'], until: number): Promise<boolean> {
    const { key } = this.options;
    const calls = [...this.calls.values()].sort((a, b) => a.index - b.index);
    const done = await this.store.save({ key, holder: this.holder, state, until, seed: this.seed, calls });
    this.stored ||= done;
    return done;
  }
}
