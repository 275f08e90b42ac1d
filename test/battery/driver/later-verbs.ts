/** Verbs of features that are not there yet, with the step that brings each. */
const LATER = {
  lintDescriptions: 6,
  series: 5,
  grant: 7,
  grantCheck: 7,
  covers: 7,
  enqueue: 5,
  enqueueRaw: 5,
  rawJob: 5,
  done: 5,
  idle: 5,
  runs: 5,
  ticks: 5,
  stall: 5,
} as const;

export type LaterVerb = keyof typeof LATER;

/** Each refuses by `not built yet (step N)`. */
export const laterVerbs = Object.fromEntries(
  Object.entries(LATER).map(([verb, step]) => [verb, () => Promise.reject(notBuilt(step))]),
) as Record<LaterVerb, (...args: readonly unknown[]) => Promise<never>>;

export const notBuilt = (step: number): Error => new Error(`not built yet (step ${step})`);
