import { setMaxListeners } from 'node:events';
import type { getHostFunctionContext, Runner } from 'run';
import { CapabilityError } from '../../../errors/capability-error.js';
import { isRecord } from '../../../kernel/json.js';
import { BusyClock } from './busy-clock.js';
import { GUEST_SOURCE, HOST_NAMESPACE, PROGRAM_MODULE, programModule } from './guest-source.js';
import { isFunctionBody } from './is-function-body.js';
import { Sandbox, type ProgramLimits, type SandboxEnd, type SandboxProgram } from './sandbox.js';

/** Largest argument of one call, UTF-8 bytes with its logs. */
const ARGUMENT_BYTES = 512 * 1024;
/** Largest answer to one call, and largest program, as the bridge encodes them. */
const REPLY_BYTES = 3 * 1024 * 1024;
/** Escaped twice, one byte becomes at most twelve. */
const ENCODING_FACTOR = 12;
const REPORT_BYTES = 64 * 1024;
/** What the engine says when a program is stopped between two of its own steps. */
const INTERRUPTED = 'InternalError: interrupted';
/** Calls beyond the limit that are still answered, each with the limit's failure. */
const REFUSED_CALLS = 64;

/** QuickJS in WebAssembly on a worker thread of its own, through the package `run`. A fresh context for every program. */
export class QuickJsSandbox extends Sandbox {
  private runner: Runner | undefined;
  private context: typeof getHostFunctionContext | undefined;

  async open(): Promise<void> {
    try {
      const { createRunner, getHostFunctionContext } = await import('run');
      this.runner = createRunner();
      this.context = getHostFunctionContext;
    } catch (cause) {
      throw new TypeError("Code mode needs the package 'run': install it, or pass a sandbox of your own.", {
        cause,
      });
    }
  }

  async run(program: SandboxProgram): Promise<SandboxEnd> {
    if (this.runner === undefined) await this.open();
    if (!isFunctionBody(program.code)) return { status: 'syntax-error' };
    if (program.signal.aborted) return { status: 'aborted' };
    const stop = new AbortController();
    let spent = false;
    const clock = new BusyClock(program.limits.cpuMs, () => {
      spent = true;
      stop.abort();
    });
    const onAbort = (): void => stop.abort();
    program.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const result = await this.runner!.run({
        source: GUEST_SOURCE,
        sourceType: 'function-body',
        abortSignal: stop.signal,
        limits: bridgeLimits(program.limits),
        ...surroundings(program, clock, this.context!),
      });
      return result.status === 'completed' ? readEnd(result.value) : { status: 'failed' };
    } catch (error) {
      if (spent) return { status: 'timeout' };
      return program.signal.aborted ? { status: 'aborted' } : endOf(error);
    } finally {
      clock.stop();
      program.signal.removeEventListener('abort', onAbort);
    }
  }
}

function bridgeLimits({ memoryBytes, wallClockMs, calls, outputBytes }: ProgramLimits) {
  return {
    memoryLimitBytes: memoryBytes,
    timeoutMs: wallClockMs,
    maxResultBytes: REPORT_BYTES + ENCODING_FACTOR * outputBytes,
    maxSourceBytes: REPLY_BYTES,
    maxHostFunctionArgumentsBytes: ARGUMENT_BYTES,
    maxHostFunctionOutputBytes: REPLY_BYTES,
    maxBridgeRequests: calls + REFUSED_CALLS,
    maxInFlightBridgeRequests: calls + REFUSED_CALLS,
  };
}

/** The two things a program reaches: its own module, and `call`. */
function surroundings(program: SandboxProgram, clock: BusyClock, context: typeof getHostFunctionContext) {
  const { code, names, seed, limits } = program;
  const call = async (name: unknown, input: unknown, logs: unknown): Promise<unknown> => {
    if (typeof name !== 'string' || typeof input !== 'string') throw new TypeError('A call is malformed.');
    // The package listens to this signal once for each call that waits.
    setMaxListeners(0, context().abortSignal);
    clock.asked();
    try {
      return await program.call({ name, input, logs: texts(logs) });
    } finally {
      clock.answered();
    }
  };
  return {
    hostFunctions: { [HOST_NAMESPACE]: { call } },
    moduleLoader: {
      normalize: (specifier: string): string => {
        if (specifier !== PROGRAM_MODULE) throw new TypeError('A program cannot import modules.');
        return specifier;
      },
      load: (): string => {
        clock.start();
        return programModule(code, { names, ...seed, outputBytes: limits.outputBytes });
      },
    },
  };
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** The program's report, which came out of the sandbox and is checked like any other input. */
function readEnd(value: unknown): SandboxEnd {
  if (!isRecord(value)) return { status: 'failed' };
  const { status, result, message, failure, cut } = value;
  const written = { logs: texts(value['logs']), dropped: value['dropped'] === true };
  if (status === 'syntax-error') return { status };
  if (status === 'invalid-value') return { status, ...written };
  if (status === 'returned' && typeof result === 'string' && (cut === true || isJson(result)))
    return { status, result, cut: cut === true, ...written };
  if (status === 'threw' && typeof message === 'string')
    return { status, message, failure: typeof failure === 'number' ? failure : undefined, ...written };
  return { status: 'failed' };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What became of a program whose run ended with an error. */
function endOf(error: unknown): SandboxEnd {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (String(message).endsWith(INTERRUPTED)) return { status: 'timeout' };
  switch (code) {
    case 'RUN_TIMEOUT':
      return { status: 'timeout' };
    case 'RUN_BRIDGE_LIMIT':
      return { status: 'call-limit' };
    case 'RUN_CONCURRENCY_LIMIT':
      throw new CapabilityError('UNAVAILABLE', { retryAfter: 1, cause: error });
    case 'RUN_USER_SOURCE_ERROR':
      return { status: 'threw', message: String(message), failure: undefined, logs: [], dropped: false };
    default:
      return { status: 'failed' };
  }
}
