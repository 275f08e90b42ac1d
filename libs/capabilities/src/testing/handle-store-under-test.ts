import type { ShiftedClock } from './shifted-clock.js';
import { testGlobals } from './test-globals.js';

/** Two doors to the same handles, such as two connections. */
export interface HandleStoreUnderTest<Store> {
  readonly store: Store;
  /** Another instance on the same data; the same object where a store lives in one process. */
  readonly other: Store;
  /** The clock that both use. */
  readonly clock: ShiftedClock;
  close(): Promise<void>;
}

const SETUP_MS = 60_000;

/** A described suite over a store that is opened once and closed at the end. */
export function handleContract<Store>(
  title: string,
  open: () => Promise<HandleStoreUnderTest<Store>>,
  suite: (under: () => HandleStoreUnderTest<Store>) => void,
): void {
  const { describe, beforeAll, afterAll } = testGlobals();
  describe(title, () => {
    let opened: HandleStoreUnderTest<Store> | undefined;
    beforeAll(async () => {
      opened = await open();
    }, SETUP_MS);
    afterAll(() => opened!.close(), SETUP_MS);
    suite(() => opened!);
  });
}
