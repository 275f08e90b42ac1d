import type { AuditEvent } from '../../audit/audit-event.js';
import { event } from '../../testing/store-fixtures.js';
import { AuditBatch } from './audit-batch.js';

describe('the audit batch', () => {
  it('gathers what arrives while a batch is on its way, and keeps the order', async () => {
    const batches: (readonly AuditEvent[])[] = [];
    const batch = new AuditBatch(async (events) => {
      batches.push(events);
      await new Promise((resolve) => setTimeout(resolve, 5));
    });
    const events = Array.from({ length: 450 }, () => event('t1', 'requested'));
    await Promise.all(events.map((each) => batch.add(each)));
    expect(batches.map((written) => written.length)).toEqual([1, 200, 200, 49]);
    expect(batches.flat()).toEqual(events);
  });

  it('tells each caller of a failed batch, and goes on with the next', async () => {
    let broken = true;
    const batch = new AuditBatch(async () => {
      if (broken) throw new Error('down');
    });
    await expect(batch.add(event('t1', 'requested'))).rejects.toThrow('down');
    broken = false;
    await expect(batch.add(event('t1', 'requested'))).resolves.toBeUndefined();
  });

  it('refuses beyond its bound instead of growing without end', async () => {
    let finish = (): void => undefined;
    const batch = new AuditBatch(() => new Promise((resolve) => (finish = resolve)));
    const waiting = Array.from({ length: 10_001 }, () => batch.add(event('t1', 'requested')));
    await expect(batch.add(event('t1', 'requested'))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    const timer = setInterval(() => finish(), 0);
    await Promise.all(waiting);
    clearInterval(timer);
  });
});
