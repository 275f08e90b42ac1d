import { strict as assert } from 'node:assert';
import type { ConversationRecord, ConversationStore } from '../execution/conversation-store.js';
import { executionId, uuid } from '../kernel/ids.js';
import { handleContract, type HandleStoreUnderTest } from './handle-store-under-test.js';
import { testGlobals } from './test-globals.js';

/**
 * The suite that every `ConversationStore` passes, with races. Call it at the top level of a test file, in a
 * framework with global `describe`, `it`, `beforeAll`, `afterAll`.
 */
export function conversationStoreContract(
  name: string,
  open: () => Promise<HandleStoreUnderTest<ConversationStore>>,
): void {
  handleContract(`${name} keeps the contract of conversation stores`, open, (under) => {
    const { it } = testGlobals();

    it('lets every instance read what was saved, with all that is in it', async () => {
      const { store, other } = under();
      const record = conversation({
        messages: [{ role: 'user', content: [{ type: 'text', text: 'nul \u0000, half \ud800, and ü' }] }],
        open: [{ toolCallId: 'c1', name: 'x', input: { deep: [1, null] }, approvalId: uuid() }],
      });
      assert.equal(await store.save(record, 0), true);
      assert.deepEqual(await other.find(record.owner, record.id), record);
    });

    it('shows a conversation to its owner alone', async () => {
      const { store } = under();
      const record = conversation();
      await store.save(record, 0);
      assert.equal(await store.find(executionId(), record.id), undefined);
      for (const id of ['', '\u0000', `${record.id}'`, uuid()])
        assert.equal(await store.find(record.owner, id), undefined);
    });

    it('takes one of many changes that start from the same version, and one of many beginnings', async () => {
      const { store, other } = under();
      const record = conversation();
      for (const [version, expected] of [
        [1, 0],
        [2, 1],
      ] as const) {
        const changes = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? store : other).save({ ...record, version, until: index }, expected),
          ),
        );
        assert.equal(changes.filter(Boolean).length, 1);
        assert.equal((await store.find(record.owner, record.id))?.until, changes.indexOf(true));
      }
      assert.equal(await store.save({ ...record, version: 2 }, 1), false);
      assert.equal(await store.save(conversation({ version: 2 }), 1), false);
    });

    it('remembers the approval of a call, the latest one, for its owner and conversation', async () => {
      const { store, other } = under();
      const { owner, id } = conversation();
      const [first, second] = [uuid(), uuid()];
      assert.equal(await store.recall(owner, id, 'c1'), undefined);
      await store.remember(owner, id, 'c1', first);
      assert.equal(await other.recall(owner, id, 'c1'), first);
      await other.remember(owner, id, 'c1', second);
      await store.remember(owner, id, 'nul \u0000', first);
      assert.equal(await store.recall(owner, id, 'c1'), second);
      assert.equal(await store.recall(owner, id, 'nul \u0000'), first);
      assert.equal(await store.recall(executionId(), id, 'c1'), undefined);
      assert.equal(await store.recall(owner, uuid(), 'c1'), undefined);
    });

    it('removes a conversation with its calls, and no other', async () => {
      const { store, other } = under();
      const [gone, kept] = [conversation(), conversation()];
      for (const record of [gone, kept]) {
        await store.save(record, 0);
        await store.remember(record.owner, record.id, 'c1', uuid());
      }
      await other.remove(executionId(), gone.id);
      assert.notEqual(await store.find(gone.owner, gone.id), undefined);
      await other.remove(gone.owner, gone.id);
      assert.equal(await store.find(gone.owner, gone.id), undefined);
      assert.equal(await store.recall(gone.owner, gone.id, 'c1'), undefined);
      assert.notEqual(await store.find(kept.owner, kept.id), undefined);
      assert.notEqual(await store.recall(kept.owner, kept.id, 'c1'), undefined);
      assert.equal(await store.save(gone, 0), true);
    });
  });
}

function conversation(members: Partial<ConversationRecord> = {}): ConversationRecord {
  return {
    id: uuid(),
    owner: executionId(),
    version: 1,
    state: 'idle',
    until: 0,
    messages: [],
    open: [],
    ...members,
  };
}
