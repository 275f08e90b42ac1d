import { CapabilityError } from './capability-error.js';
import { errorEnvelope } from './error-envelope.js';
import { ERROR_TABLE, TOOL_ERROR_CODES, type ErrorReason } from './error-table.js';

const REASONS = Object.keys(ERROR_TABLE) as ErrorReason[];

describe('errorEnvelope', () => {
  it.each(REASONS)('gives %s its code, sentence and reason, and nothing unset', (reason) => {
    const { error } = errorEnvelope(new CapabilityError(reason));
    expect(error).toEqual({ code: ERROR_TABLE[reason].code, message: ERROR_TABLE[reason].message, reason });
    expect(TOOL_ERROR_CODES).toContain(error.code);
  });

  it('carries every public detail and never the cause or the scopes', () => {
    const details = {
      hint: 'h',
      field: 'a.b',
      allowed: [1],
      issues: [{ field: 'a.b', message: 'm' }],
      candidates: [{ id: '1', label: 'One' }],
      existing_id: 'e',
      failure: { tag: 'Closed', at: 'now' },
      approvalId: 'ap',
      decision: { decision: 'reject', by: 'ann', at: '2030-01-01T00:00:00.000Z' },
      links: { self: '/x' },
      retryAfter: 3,
    };
    const error = new CapabilityError('ALREADY_DECIDED', {
      ...details,
      missingScopes: ['s'],
      cause: new Error('secret'),
    });
    const envelope = errorEnvelope(error, { executionId: 'x1' });
    expect(envelope.error).toEqual({
      code: 'CONFLICT',
      message: 'This request was already decided.',
      reason: 'ALREADY_DECIDED',
      ...details,
      executionId: 'x1',
    });
  });

  it('answers a concealed name with the same bytes whatever the error holds', () => {
    const plain = JSON.stringify(errorEnvelope(new CapabilityError('NOT_FOUND')));
    const loud = new CapabilityError('NOT_FOUND', { message: 'orders.find', hint: 'h', executionId: 'x' });
    expect(JSON.stringify(errorEnvelope(loud, { executionId: 'y' }))).toBe(plain);
    expect(plain).toBe('{"error":{"code":"NOT_FOUND","message":"Not found.","reason":"NOT_FOUND"}}');
  });

  it.each(['INTERNAL', 'OUTPUT_INVALID'] as const)(
    'masks %s whatever its message and issues say',
    (reason) => {
      const error = new CapabilityError(reason, {
        message: 'secret-xyz',
        field: 'secret-xyz',
        issues: [{ field: 'secret-xyz', message: 'secret-xyz' }],
        hint: 'Contact us.',
      });
      const text = JSON.stringify(errorEnvelope(error, { executionId: 'x1' }));
      expect(text).not.toContain('secret-xyz');
      expect(JSON.parse(text)).toEqual({
        error: {
          code: 'UPSTREAM',
          message: ERROR_TABLE[reason].message,
          reason,
          hint: 'Contact us.',
          executionId: 'x1',
        },
      });
    },
  );
});
