import { describeFault } from './describe-fault.js';

describe('describeFault', () => {
  it('tells name, message, stack and causes', () => {
    const text = describeFault(new TypeError('outer', { cause: new RangeError('inner') }));
    expect(text).toMatch(/^TypeError: outer\n +at /);
    expect(text).toContain('caused by RangeError: inner\n');
    expect(text).toContain('describe-fault.spec');
  });

  it('scrubs messages and stacks', () => {
    expect(describeFault(new Error('postgres://app:hunter22@db'))).not.toContain('hunter22');
  });

  it('follows at most five causes and survives a ring of them', () => {
    let error = new Error('cause 0');
    for (let index = 1; index <= 20; index++) error = new Error(`cause ${index}`, { cause: error });
    expect(describeFault(error).match(/caused by/g)).toHaveLength(5);

    const ring: Error & { cause?: unknown } = new Error('ring');
    ring.cause = ring;
    expect(describeFault(ring)).not.toContain('caused by');
  });

  it('is bounded and free of control characters', () => {
    const text = describeFault(new Error(`\u001b[31mred\u0000${'x'.repeat(100_000)}`));
    expect(text.length).toBeLessThanOrEqual(8_192);
    expect(text).not.toContain('\u0000');
    expect(text).not.toContain('\u001b');
  });

  it.each([
    ['text', 'Thrown string: text'],
    [undefined, 'Thrown undefined: undefined'],
    [Symbol('s'), 'Thrown symbol: Symbol(s)'],
    [{ message: 'from a client' }, 'Object: from a client'],
    [{ password: 'p' }, 'Object'],
  ])('describes %p', (thrown, expected) => {
    expect(describeFault(thrown)).toBe(expected);
  });

  it('never throws', () => {
    const hostile = {
      get message(): string {
        throw new Error('no');
      },
      get cause(): unknown {
        throw new Error('no');
      },
    };
    expect(describeFault(hostile)).toBe('Object');
  });
});
