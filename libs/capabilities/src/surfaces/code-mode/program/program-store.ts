import type { SuspendedApproval } from '../../../execution/outcome.js';
import type { ProgramSeed } from '../sandbox/sandbox.js';
import type { CallFailure } from './call-failure.js';

interface CallPlace {
  /** Place among the program's calls, from zero. */
  readonly index: number;
  readonly name: string;
  /** SHA-256 of the argument's JSON text. */
  readonly inputHash: string;
}

/** A call that was answered. */
export interface SettledCall extends CallPlace {
  readonly state: 'settled';
  /** Place among the answers that the program received, from one. */
  readonly order: number;
  /** Milliseconds since the epoch: what the program's clock read afterwards. */
  readonly at: number;
  /** JSON text, or the failure. */
  readonly answer:
    { readonly ok: true; readonly value: string } | { readonly ok: false; readonly failure: CallFailure };
}

/** What one call of a program came to, by its place in the program. */
export type RecordedCall =
  | SettledCall
  /** Waits for a person; nothing ran. */
  | (CallPlace & { readonly state: 'suspended'; readonly approval: SuspendedApproval })
  /** It may have taken effect; how it ended was never stored. */
  | (CallPlace & { readonly state: 'started' });

/** A program that has had effects or waits for people, as plain JSON. */
export interface ProgramRecord {
  /** Who runs which code: the same principal with the same code goes on with the same program. */
  readonly key: string;
  /** The run that holds the record. */
  readonly holder: string;
  readonly state: 'running' | 'suspended';
  /** Milliseconds since the epoch. Running: when the holder is given up. Suspended: when the record is forgotten. */
  readonly until: number;
  readonly seed: ProgramSeed;
  readonly calls: readonly RecordedCall[];
}

/** Who claims a record: a run, and until when it holds it. */
export interface ProgramLease {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
}

export type ProgramClaim =
  | { readonly status: 'none' }
  /** The record as it was left, now held by the lease's run. */
  | { readonly status: 'claimed'; readonly record: ProgramRecord }
  /** Another run holds it. */
  | { readonly status: 'held' };

/**
 * Keeps what programs have done until they end, so that a repeated program repeats no effect (port). One winner
 * for each record, across processes when the store is shared.
 */
export abstract class ProgramStore {
  /** Prepares the store at boot; rejects to stop the boot. */
  abstract open(): Promise<void>;
  /**
   * Takes the record of a key for one run: a suspended one that is not forgotten, or a running one whose holder
   * was given up. A forgotten record is removed.
   */
  abstract claim(key: string, lease: ProgramLease): Promise<ProgramClaim>;
  /** Writes the record if there is none of its key or the same holder has it; false, and nothing written, otherwise. */
  abstract save(record: ProgramRecord): Promise<boolean>;
  /** Removes the record if this run holds it. */
  abstract remove(key: string, holder: string): Promise<void>;
}
