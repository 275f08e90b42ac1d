import { strict as assert } from 'node:assert';
import type { TaskRecord, TaskStore } from '../execution/task-store.js';
import { executionId, uuid } from '../kernel/ids.js';
import { handleContract, type HandleStoreUnderTest } from './handle-store-under-test.js';
import { testGlobals } from './test-globals.js';

const TTL_MS = 60_000;

/**
 * The suite that every `TaskStore` passes, with races. Call it at the top level of a test file, in a framework with
 * global `describe`, `it`, `beforeAll`, `afterAll`.
 */
export function taskStoreContract(name: string, open: () => Promise<HandleStoreUnderTest<TaskStore>>): void {
  handleContract(`${name} keeps the contract of task stores`, open, (under) => {
    const { it } = testGlobals();

    it('lets every instance read what was created, with all that is in it', async () => {
      const { store, other } = under();
      const record = task({
        arguments: { text: 'nul \u0000, half \ud800, and ü', deep: { list: [1, null] } },
      });
      await store.create(record);
      assert.deepEqual(await other.find(record.owner, record.taskId), record);
      const waiting: TaskRecord = {
        ...record,
        version: 2,
        status: 'input_required',
        inputRequests: { name: { method: 'roots/list' } },
      };
      assert.equal(await other.replace(waiting, 1), true);
      assert.deepEqual(await store.find(record.owner, record.taskId), waiting);
    });

    it('shows a task to its owner alone', async () => {
      const { store } = under();
      const record = task();
      await store.create(record);
      assert.equal(await store.find(executionId(), record.taskId), undefined);
      assert.equal(await store.find(record.owner, uuid()), undefined);
      for (const id of ['', 'x', '\u0000', `${record.taskId}'`])
        assert.equal(await store.find(record.owner, id), undefined);
    });

    it('takes one of many changes that start from the same version', async () => {
      const { store, other } = under();
      const record = task();
      await store.create(record);
      const changes = await Promise.all(
        Array.from({ length: 20 }, async (_, index) =>
          (index % 2 === 0 ? store : other).replace(
            { ...record, version: 2, statusMessage: String(index) },
            1,
          ),
        ),
      );
      assert.equal(changes.filter(Boolean).length, 1);
      const stored = await store.find(record.owner, record.taskId);
      assert.equal(stored?.statusMessage, String(changes.indexOf(true)));
      assert.equal(await store.replace({ ...record, version: 2, status: 'cancelled' }, 1), false);
      assert.equal(await store.replace({ ...record, version: 3, status: 'cancelled' }, 2), true);
    });

    it('changes no task that is not there', async () => {
      const { store } = under();
      assert.equal(await store.replace(task({ version: 2 }), 1), false);
    });

    it('forgets a task when its time is over', async () => {
      const { store, other, clock } = under();
      const record = task({ createdAt: clock.now() });
      await store.create(record);
      clock.advance(TTL_MS - 5_000);
      assert.notEqual(await other.find(record.owner, record.taskId), undefined);
      clock.advance(5_001);
      assert.equal(await store.find(record.owner, record.taskId), undefined);
      await store.create(task({ createdAt: clock.now() }));
      assert.equal(await other.find(record.owner, record.taskId), undefined);
    });
  });
}

function task(change: Partial<TaskRecord> = {}): TaskRecord {
  const now = change.createdAt ?? Date.now();
  return {
    taskId: uuid(),
    owner: `owner-${executionId()}`,
    endpoint: '/mcp',
    tool: 'notes_find',
    arguments: {},
    clientCapabilities: {},
    status: 'working',
    runUntil: now + TTL_MS,
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: TTL_MS,
    pollIntervalMs: 1000,
    answers: {},
    version: 1,
    ...change,
  };
}
