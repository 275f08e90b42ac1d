import { CapabilityDefinitionError } from './capability-definition-error.js';

const problem = {
  capability: 'orders.find',
  className: 'OrdersService',
  methodName: 'find',
  code: 'OPTION_MISSING',
  problem: '`risk` is set nowhere',
  remedy: 'Set `risk`',
} as const;

describe('CapabilityDefinitionError', () => {
  it('lists every problem with capability, class, method and remedy, one below the other', () => {
    const error = new CapabilityDefinitionError([
      problem,
      { ...problem, methodName: '', remedy: 'Did you mean `risk`?' },
    ]);
    expect(error.message).toBe(
      [
        'The capabilities cannot start: 2 problems.',
        '  1. orders.find (OrdersService.find) [OPTION_MISSING]: `risk` is set nowhere.',
        '     Set `risk`.',
        '  2. orders.find (OrdersService) [OPTION_MISSING]: `risk` is set nowhere.',
        '     Did you mean `risk`?',
      ].join('\n'),
    );
    expect(error.problems).toHaveLength(2);
    expect(error).toBeInstanceOf(Error);
  });

  it('is recognised by its brand', () => {
    expect(new CapabilityDefinitionError([problem])).toBeInstanceOf(CapabilityDefinitionError);
    expect(new Error('x')).not.toBeInstanceOf(CapabilityDefinitionError);
  });
});
