/** True for anything with a `then`: lets synchronous results skip an asynchronous hop. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/**
 * A value that is due at once. Throws `TypeError` for a promise; its rejection is nobody's from then on, and
 * would end the process.
 */
export function dueAtOnce<T>(value: T, what: string): T {
  if (!isPromiseLike(value)) return value;
  value.then(undefined, () => undefined);
  throw new TypeError(`${what} returned a promise; it must be synchronous.`);
}
