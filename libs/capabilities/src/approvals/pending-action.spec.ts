import type { RedactionView } from '../contract/capability-options.js';
import { ANONYMOUS } from '../kernel/principal.js';
import { type ActionSource, pendingAction } from './pending-action.js';

const source = (change: Partial<ActionSource> = {}): ActionSource => ({
  name: 'orders.refund',
  title: 'Refund an order',
  sideEffect: 'write',
  describe: undefined,
  reversible: undefined,
  redact: {},
  ...change,
});
const view: RedactionView = {
  surface: 'rest',
  capability: 'orders.refund',
  principal: ANONYMOUS,
  context: undefined,
};
const described = {
  verb: 'Refund',
  target: { product: 'shop', kind: 'order', id: 'o1' },
  arguments: { amount: 5 },
  reversible: true,
};

describe('what deciders are shown', () => {
  it('is derived from the title and every argument, whatever its type', () => {
    const input = {
      id: 'o1',
      amount: 9007199254740993n,
      when: new Date(0),
      tags: new Set(['a']),
      rates: new Map([['EUR', 1.5]]),
      blob: Buffer.from('hi'),
      nothing: undefined,
      none: null,
      list: [{ deep: [true] }],
    };
    expect(pendingAction(source(), input, view)).toEqual({
      verb: 'Refund an order',
      target: { product: 'orders', kind: 'capability', id: 'orders.refund' },
      arguments: {
        id: 'o1',
        amount: '9007199254740993',
        when: '1970-01-01T00:00:00.000Z',
        tags: ['a'],
        rates: [['EUR', 1.5]],
        blob: 'aGk=',
        none: null,
        list: [{ deep: [true] }],
      },
      reversible: true,
    });
    expect(pendingAction(source({ sideEffect: 'external' }), {}, view).reversible).toBe(false);
    expect(pendingAction(source({ sideEffect: 'destructive', reversible: true }), {}, view).reversible).toBe(
      true,
    );
  });

  it('is the capability’s own description where it has one', () => {
    expect(pendingAction(source({ describe: () => described }), {}, view)).toEqual(described);
  });

  it('shows redacted arguments either way', () => {
    const redact = { approvalInput: (input: unknown) => ({ ...(input as object), card: '****' }) };
    const input = { id: 'o1', card: '4111' };
    for (const describe of [undefined, () => ({ ...described, arguments: input })]) {
      expect(pendingAction(source({ redact, describe }), input, view).arguments).toEqual({
        id: 'o1',
        card: '****',
      });
    }
  });

  it.each([
    ['nothing', undefined],
    ['no verb', { ...described, verb: '' }],
    ['a bad target', { ...described, target: { product: 'shop', kind: ' order', id: 'o1' } }],
    ['no reversible', { ...described, reversible: 'no' }],
  ])('fails the call when describe() answers %s', (_name, answer) => {
    expect(() => pendingAction(source({ describe: () => answer as never }), {}, view)).toThrow(
      expect.objectContaining({ reason: 'INTERNAL' }),
    );
  });

  it('fails the call when a description or redactor throws', () => {
    const broken = () => {
      throw new Error('broken');
    };
    expect(() => pendingAction(source({ describe: broken }), {}, view)).toThrow(
      expect.objectContaining({ reason: 'INTERNAL' }),
    );
    expect(() => pendingAction(source({ redact: { approvalInput: broken } }), {}, view)).toThrow(
      expect.objectContaining({ reason: 'INTERNAL' }),
    );
  });
});
