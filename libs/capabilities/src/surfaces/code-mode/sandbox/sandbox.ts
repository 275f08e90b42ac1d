/** What a program may use up. Every number is finite; `calls` and `outputBytes` may be zero. */
export interface ProgramLimits {
  /** Heap of the program, bytes; 8 MiB at least. Default 33 554 432 (32 MiB). */
  readonly memoryBytes: number;
  /** Milliseconds that the program itself may run: time in which the host owes it no answer. Default 5 000. */
  readonly cpuMs: number;
  /** Milliseconds from start to end, tools included. Default 30 000. */
  readonly wallClockMs: number;
  /** Tool calls admitted. Default 100. */
  readonly calls: number;
  /** UTF-8 bytes of the result's JSON and of the logs. Default 65 536 (64 KiB). */
  readonly outputBytes: number;
}

/** Where a program's time and randomness start: the same seed gives the same `Date` and `Math.random()`. */
export interface ProgramSeed {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** 128 bits in hexadecimal. */
  readonly random: string;
}

/** What a failed call throws inside the program. */
export interface ProgramFailure {
  /** Says which failure it was when the program lets it escape. */
  readonly id: number;
  readonly tag: string;
  readonly message: string;
  /** Further members of the error. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The answer to one call: JSON text, or a failure. The program's clock moves on to `at`. */
export type ProgramReply =
  | { readonly ok: true; readonly value: string; readonly at: number }
  | { readonly ok: false; readonly failure: ProgramFailure; readonly at: number };

/** One call, as untrusted as everything that leaves a program. */
export interface ProgramCall {
  readonly name: string;
  /** JSON text; empty when the argument was not JSON. */
  readonly input: string;
  /** What the program logged since its last call. */
  readonly logs: readonly string[];
}

/** How a program ended. `logs` is what was logged after the last call, `dropped` whether some were left out. */
export type SandboxEnd =
  /** `result` is JSON text; only its beginning, longer than the output limit, when `cut`. */
  | (Written & { readonly status: 'returned'; readonly result: string; readonly cut: boolean })
  /** It returned what JSON cannot hold. */
  | (Written & { readonly status: 'invalid-value' })
  /** `failure` is the id of the call failure that escaped. */
  | (Written & { readonly status: 'threw'; readonly message: string; readonly failure: number | undefined })
  | { readonly status: 'syntax-error' | 'timeout' | 'call-limit' | 'aborted' | 'failed' };

interface Written {
  readonly logs: readonly string[];
  readonly dropped: boolean;
}

export interface SandboxProgram {
  /** Body of an async function. */
  readonly code: string;
  /** What `Object.keys(tools)` lists. Every other name can be called too: the host answers. */
  readonly names: readonly string[];
  readonly seed: ProgramSeed;
  readonly limits: ProgramLimits;
  /** Ends the program at once. */
  readonly signal: AbortSignal;
  call(call: ProgramCall): Promise<ProgramReply>;
}

/**
 * Runs programs that a model wrote (port). A program has no authority but `call`: no network, files, modules,
 * environment, timers or real clock, and its memory and time are bounded whatever it does.
 */
export abstract class Sandbox {
  /** Prepares the sandbox at boot; rejects to stop the boot. */
  abstract open(): Promise<void>;
  /** Runs one program to its end. Throws `CapabilityError` UNAVAILABLE when there is no room for it. */
  abstract run(program: SandboxProgram): Promise<SandboxEnd>;
}
