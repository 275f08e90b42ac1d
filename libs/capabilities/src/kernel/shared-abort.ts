/** Who waits on a signal; one listener on the signal itself serves them all. */
interface Waiting {
  readonly calls: Set<() => void>;
  readonly tell: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `act` when `signal` aborts, unless the returned function was called before. However many wait, the
 * signal carries one listener: Node warns of a leak from the eleventh.
 */
export function onceAborted(signal: AbortSignal, act: () => void): () => void {
  const { calls } = waiting.get(signal) ?? listen(signal);
  calls.add(act);
  return () => forget(signal, calls, act);
}

function listen(signal: AbortSignal): Waiting {
  const calls = new Set<() => void>();
  const tell = (): void => {
    waiting.delete(signal);
    for (const act of calls) act();
  };
  const made = { calls, tell };
  waiting.set(signal, made);
  signal.addEventListener('abort', tell, { once: true });
  return made;
}

/** The last one to leave takes the listener along. */
function forget(signal: AbortSignal, calls: Set<() => void>, act: () => void): void {
  calls.delete(act);
  const entry = waiting.get(signal);
  if (calls.size > 0 || entry?.calls !== calls) return;
  waiting.delete(signal);
  signal.removeEventListener('abort', entry.tell);
}
