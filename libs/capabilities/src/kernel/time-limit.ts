/** Thrown when something took longer than it may. */
export class TimeLimitError extends Error {
  constructor(readonly limitMs: number) {
    super(`Took longer than ${limitMs} ms.`);
    this.name = 'TimeLimitError';
  }
}

/** Settles with `work`, or rejects with {@link TimeLimitError} after `limitMs` milliseconds. */
export function withTimeLimit<T>(work: PromiseLike<T>, limitMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeLimitError(limitMs)), limitMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
