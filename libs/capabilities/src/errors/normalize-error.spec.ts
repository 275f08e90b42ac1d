import { BadRequestException, HttpException, ServiceUnavailableException } from '@nestjs/common';
import { CapabilityError } from './capability-error.js';
import { normalizeError } from './normalize-error.js';
import { toolError } from './tool-error.js';

describe('normalizeError', () => {
  it('passes a CapabilityError as it is', () => {
    const error = new CapabilityError('FORBIDDEN');
    expect(normalizeError(error)).toBe(error);
  });

  it('recognises a CapabilityError of another copy of the library by its brand', () => {
    const other = Object.assign(new Error('elsewhere'), {
      [Symbol.for('nest-capabilities.CapabilityError')]: true,
      reason: 'FORBIDDEN',
    });
    expect(normalizeError(other)).toBe(other);
  });

  it.each([
    ['VALIDATION', 400],
    ['UNAUTHENTICATED', 401],
    ['FORBIDDEN', 403],
    ['NOT_FOUND', 404],
    ['AMBIGUOUS', 409],
    ['CONFLICT', 409],
    ['RATE_LIMITED', 429],
    ['UPSTREAM', 502],
    ['TIMEOUT', 504],
  ] as const)('gives a thrown tool error %s the status %d', (code, status) => {
    const error = normalizeError(toolError(code, 'said'));
    expect(error).toMatchObject({ reason: 'TOOL_ERROR', code, status, message: 'said' });
  });

  it('lets only documented fields of a tool error leave', () => {
    const thrown = {
      error: {
        code: 'CONFLICT',
        message: 'taken',
        hint: 'pick another',
        field: 'slug',
        allowed: ['a'],
        candidates: [{ id: '1', label: 'One' }],
        existing_id: '7',
        internal: 'secret',
      },
      internal: 'secret',
    };
    expect(normalizeError(thrown).details).toEqual({
      hint: 'pick another',
      field: 'slug',
      allowed: ['a'],
      candidates: [{ id: '1', label: 'One' }],
      existing_id: '7',
    });
    const wrong = normalizeError({ error: { code: 'CONFLICT', message: 'm', hint: 1, allowed: 'a' } });
    expect(wrong.details).toEqual({});
  });

  it.each([
    [400, 'VALIDATION'],
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [410, 'CONFLICT'],
    [412, 'CONFLICT'],
    [418, 'VALIDATION'],
    [422, 'VALIDATION'],
    [429, 'RATE_LIMITED'],
  ] as const)('keeps the status of an HttpException %d with code %s', (status, code) => {
    const error = normalizeError(new HttpException('said', status));
    expect(error).toMatchObject({ reason: 'HTTP_EXCEPTION', code, status, message: 'said' });
  });

  it('reads the message of an HttpException from its response, joining lists', () => {
    expect(normalizeError(new BadRequestException(['a is wrong', 'b is wrong'])).message).toBe(
      'a is wrong; b is wrong',
    );
    expect(normalizeError(new HttpException({ message: 'inner', other: 'x' }, 409)).message).toBe('inner');
    expect(normalizeError(new HttpException({ other: 'x' }, 409)).message).toBe('Http Exception');
  });

  it.each([
    ['an error', new Error('secret-xyz')],
    ['an HttpException of 500 and above', new ServiceUnavailableException('secret-xyz')],
    ['an HttpException that is no failure', new HttpException('secret-xyz', 302)],
    ['a tool error with an unknown code', { error: { code: 'OOPS', message: 'secret-xyz' } }],
    ['an error that wraps a tool error', Object.assign(new Error('x'), toolError('CONFLICT', 'secret-xyz'))],
    ['a string', 'secret-xyz'],
    ['undefined', undefined],
  ])('masks %s and keeps it as the private cause', (_, thrown) => {
    const error = normalizeError(thrown);
    expect(error.reason).toBe('INTERNAL');
    expect(error.status).toBe(500);
    expect(error.message).not.toContain('secret-xyz');
    expect(error.cause).toBe(thrown);
  });

  it('masks what cannot even be looked at', () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('get');
        },
        getPrototypeOf: () => {
          throw new Error('prototype');
        },
      },
    );
    expect(normalizeError(hostile).reason).toBe('INTERNAL');
  });
});
