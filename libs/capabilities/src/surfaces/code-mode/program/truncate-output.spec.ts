import fc from 'fast-check';
import { fitOutput } from './truncate-output.js';

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');
const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const whole = (value: string): boolean => Buffer.from(value, 'utf8').toString('utf8') === value;
const sizeOf = (result: unknown): number => (result === null ? 0 : bytes(JSON.stringify(result)));

describe('fitting the output of a program', () => {
  it('never exceeds the budget, and says exactly when something was cut', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(text, { maxLength: 5 }), fc.nat(120), (value, logs, budget) => {
        const json = JSON.stringify(value);
        const fitted = fitOutput({ result: json, logs }, budget);
        const used = sizeOf(fitted.result) + fitted.logs.reduce((sum, line) => sum + bytes(line), 0);
        expect(used).toBeLessThanOrEqual(budget);
        const kept = JSON.stringify(fitted.result) === json && fitted.logs.join('\n') === logs.join('\n');
        expect(fitted.truncated).toBe(!(kept && fitted.logs.length === logs.length));
      }),
    );
  });

  it('cuts at code points, and keeps beginnings', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 5 }), fc.nat(60), (value, logs, budget) => {
        const json = JSON.stringify(value);
        const { result, logs: kept, truncated } = fitOutput({ result: json, logs }, budget);
        if (typeof result === 'string') {
          expect(whole(result)).toBe(true);
          if (result !== value) expect(json.startsWith(result)).toBe(true);
        }
        for (const [index, line] of kept.entries()) {
          expect(whole(line)).toBe(true);
          expect(logs[index]!.startsWith(line)).toBe(true);
          if (index < kept.length - 1) expect(line).toBe(logs[index]);
        }
        expect(typeof truncated).toBe('boolean');
      }),
    );
  });

  it('makes a result that does not fit a string of its JSON, quotes counted, or null', () => {
    const fit = (budget: number) => fitOutput({ result: '{"a":"é"}', logs: [] }, budget).result;
    expect(fit(10)).toEqual({ a: 'é' });
    expect(fit(9)).toBe('{"a":');
    expect(fit(4)).toBe('{');
    expect(fit(2)).toBe('');
    expect(fit(1)).toBeNull();
    expect(fit(0)).toBeNull();
  });

  it('lets null and empty logs through for nothing', () =>
    expect(fitOutput({ result: 'null', logs: ['', ''] }, 0)).toEqual({
      result: null,
      logs: ['', ''],
      truncated: false,
    }));

  it('ends the logs with the first that is cut', () =>
    expect(fitOutput({ result: 'null', logs: ['ab', 'cd', 'e'] }, 3)).toEqual({
      result: null,
      logs: ['ab', 'c'],
      truncated: true,
    }));
});
