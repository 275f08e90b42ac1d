import { strict as assert } from 'node:assert';
import type { SingleUseStore } from '../execution/single-use-store.js';
import { executionId } from '../kernel/ids.js';
import { handleContract, type HandleStoreUnderTest } from './handle-store-under-test.js';
import { testGlobals } from './test-globals.js';

const KEEP_MS = 60_000;

/**
 * The suite that every `SingleUseStore` passes, with races. Call it at the top level of a test file, in a framework
 * with global `describe`, `it`, `beforeAll`, `afterAll`.
 */
export function singleUseStoreContract(
  name: string,
  open: () => Promise<HandleStoreUnderTest<SingleUseStore>>,
): void {
  handleContract(`${name} keeps the contract of single-use stores`, open, (under) => {
    const { it } = testGlobals();

    it('has one winner among many at once', async () => {
      const { store, other } = under();
      const id = executionId();
      const wins = await Promise.all(
        Array.from({ length: 50 }, async (_, index) =>
          (index % 2 === 0 ? store : other).consume(id, KEEP_MS),
        ),
      );
      assert.equal(wins.filter(Boolean).length, 1);
    });

    it('remembers a handle for as long as it was told, on every instance', async () => {
      const { store, other, clock } = under();
      const [id, another] = [executionId(), executionId()];
      assert.equal(await store.consume(id, KEEP_MS), true);
      clock.advance(KEEP_MS - 5_000);
      assert.equal(await other.consume(another, KEEP_MS), true);
      assert.equal(await other.consume(id, KEEP_MS), false);
      assert.equal(await store.consume(another, KEEP_MS), false);
    });

    it('keeps answering while it forgets old handles', async () => {
      const { store, other, clock } = under();
      const use = () => Promise.all(Array.from({ length: 150 }, async () => store.consume(executionId(), 1)));
      assert.ok((await use()).every(Boolean));
      clock.advance(1_000);
      assert.ok((await use()).every(Boolean));
      const id = executionId();
      assert.deepEqual([await store.consume(id, KEEP_MS), await other.consume(id, KEEP_MS)], [true, false]);
    });
  });
}
