import { CapabilityError } from '../../../errors/capability-error.js';
import type { Outcome } from '../../../execution/outcome.js';
import { HeldCall } from './held-call.js';

const base = { executionId: 'x1', capability: 'notes.add', replayed: false };
const done: Outcome = { ...base, status: 'completed', output: 1, cites: [] };
const late: Outcome = { ...base, status: 'failed', error: new CapabilityError('TIMEOUT') };

describe('a held call', () => {
  it('runs when it is finished, and not before', async () => {
    let ran = false;
    const held = new HeldCall(async (beforeTake) => {
      await beforeTake();
      ran = true;
      return done;
    });
    expect(await held.reached).toBe('ready');
    expect(ran).toBe(false);
    expect(await held.finish()).toBe(done);
  });

  it('that was decided before the take has its outcome', async () => {
    const held = new HeldCall(async () => late);
    expect(await held.reached).toBe(late);
    expect(await held.finish()).toBe(late);
  });

  it('that ended while it was held can be made again', async () => {
    let end: (outcome: Outcome) => void = () => undefined;
    const held = new HeldCall((beforeTake) => {
      void beforeTake();
      return new Promise((resolve) => (end = resolve));
    });
    expect(await held.reached).toBe('ready');
    end(late);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await held.finish()).toBeUndefined();
  });

  it.each([
    ['before', AbortSignal.abort()],
    ['after', AbortSignal.timeout(1)],
  ])('hears that the caller left %s it was finished', async (_when, signal) => {
    const held = new HeldCall(async (beforeTake, own) => {
      await beforeTake();
      if (!own.aborted) await new Promise((resolve) => own.addEventListener('abort', resolve));
      return late;
    });
    expect(await held.reached).toBe('ready');
    expect(await held.finish(signal)).toBe(late);
  });
});
