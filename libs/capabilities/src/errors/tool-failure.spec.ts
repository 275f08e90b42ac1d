import { CapabilityError } from './capability-error.js';
import { isToolError, toolError, validationToolError } from './tool-error.js';
import { capabilityFailure } from './tool-failure.js';

describe('toolError', () => {
  it('builds the envelope with only the fields that were given', () => {
    expect(toolError('CONFLICT', 'Taken.', { existing_id: '7' })).toEqual({
      error: { code: 'CONFLICT', message: 'Taken.', existing_id: '7' },
    });
  });

  it('is recognised by a known code and a message, also after a trip through JSON', () => {
    expect(isToolError(JSON.parse(JSON.stringify(toolError('AMBIGUOUS', 'Which one?'))))).toBe(true);
  });

  it.each([
    [null],
    ['text'],
    [{ error: 'CONFLICT' }],
    [{ error: { code: 'NOPE', message: 'm' } }],
    [{ error: { code: 'CONFLICT', message: 1 } }],
    [[{ error: { code: 'CONFLICT', message: 'm' } }]],
  ])('does not take %j for a tool error', (value) => {
    expect(isToolError(value)).toBe(false);
  });
});

describe('validationToolError', () => {
  it('names the first issue by its dotted path and permitted values', () => {
    const issues = [
      { path: ['lines', 0, 'state'], values: ['open', 'closed'], message: 'm' },
      { path: ['other'], message: 'm' },
    ];
    expect(validationToolError('Bad input.', issues).error).toMatchObject({
      code: 'VALIDATION',
      message: 'Bad input.',
      field: 'lines.0.state',
      allowed: ['open', 'closed'],
    });
  });

  it('reads Standard Schema path segments', () => {
    expect(validationToolError('m', [{ path: [{ key: 'a' }, 'b'], message: 'm' }]).error.field).toBe('a.b');
  });

  it.each([[undefined], [[]], ['x'], [[{ path: [] }]]])('names no field when %j names none', (issues) => {
    expect(validationToolError('m', issues).error).not.toHaveProperty('field');
  });
});

describe('capabilityFailure', () => {
  it('keeps field and permitted values of a validation error', () => {
    const error = new CapabilityError('INPUT_INVALID', { field: 'state', allowed: ['a', 'b'] });
    expect(capabilityFailure(error).error).toMatchObject({
      code: 'VALIDATION',
      field: 'state',
      allowed: ['a', 'b'],
    });
  });

  it('names whom to ask, by default and as configured', () => {
    const forbidden = new CapabilityError('FORBIDDEN');
    expect(capabilityFailure(forbidden).error.hint).toContain('an administrator');
    expect(capabilityFailure(forbidden, { supportContact: '#help' }).error.hint).toContain('#help');
    expect(capabilityFailure(new Error('x')).error.hint).toContain('the owning app team');
    expect(capabilityFailure(new Error('x'), { supportContact: '#help' }).error.hint).toContain('#help');
  });

  it('keeps a hint that the error brought along', () => {
    expect(capabilityFailure(toolError('FORBIDDEN', 'm', { hint: 'Own.' })).error.hint).toBe('Own.');
  });

  it('masks everything unknown', () => {
    const { error } = capabilityFailure(new Error('secret-xyz'));
    expect(error.code).toBe('UPSTREAM');
    expect(JSON.stringify(error)).not.toContain('secret-xyz');
  });

  it('adds nothing to a concealed name', () => {
    expect(Object.keys(capabilityFailure(new CapabilityError('NOT_FOUND')).error)).toEqual([
      'code',
      'message',
      'reason',
    ]);
  });
});
