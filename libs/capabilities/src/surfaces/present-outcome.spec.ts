import { CapabilityError, type CapabilityErrorOptions } from '../errors/capability-error.js';
import type { ErrorReason } from '../errors/error-table.js';
import type { FailedOutcome, Outcome } from '../execution/outcome.js';
import { presentOutcome } from './present-outcome.js';

const base = { executionId: 'x1', capability: 'orders.find', replayed: false };
const completed = (output: unknown): Outcome => ({ ...base, status: 'completed', output, cites: [] });
const failed = (reason: ErrorReason, options?: CapabilityErrorOptions): FailedOutcome => ({
  ...base,
  status: 'failed',
  error: new CapabilityError(reason, options),
});

describe('presentOutcome', () => {
  it.each([[{ id: 1 }], [null], [''], [0], [false], [[]]])(
    'answers 200 with the bare output %j',
    (output) => {
      expect(presentOutcome(completed(output))).toEqual({
        status: 200,
        body: output,
        headers: { 'X-Execution-Id': 'x1', 'Content-Type': 'application/json' },
      });
    },
  );

  it('answers 204 for no output', () => {
    expect(presentOutcome(completed(undefined))).toEqual({
      status: 204,
      body: undefined,
      headers: { 'X-Execution-Id': 'x1' },
    });
  });

  it('marks a replayed outcome', () => {
    const { headers } = presentOutcome({ ...completed(1), replayed: true });
    expect(headers['Idempotent-Replayed']).toBe('true');
  });

  it('answers 202 with the approval and its location', () => {
    const approval = {
      approvalId: 'a1',
      decideBy: '2030-01-01T00:00:00.000Z',
      executeBy: '2030-01-01T01:00:00.000Z',
      reasons: ['over the limit'],
      links: { self: '/approvals/a1' },
    };
    const reply = presentOutcome({ ...base, status: 'suspended', approval });
    expect(reply.status).toBe(202);
    expect(reply.body).toEqual({ status: 'approval_required', ...approval });
    expect(reply.headers).toMatchObject({ Location: '/approvals/a1', 'X-Execution-Id': 'x1' });
  });

  it('answers an error with its status and envelope', () => {
    expect(presentOutcome(failed('KEY_REUSED'))).toEqual({
      status: 422,
      body: {
        error: {
          code: 'CONFLICT',
          message: 'This idempotency key was used with other input.',
          reason: 'KEY_REUSED',
          executionId: 'x1',
        },
      },
      headers: { 'X-Execution-Id': 'x1', 'Content-Type': 'application/json' },
    });
  });

  it('gives a concealed name no execution id and no status but 404', () => {
    const reply = presentOutcome(failed('NOT_FOUND', { status: 410 }));
    expect(reply.status).toBe(404);
    expect(reply.headers).toEqual({ 'Content-Type': 'application/json' });
    expect(JSON.stringify(reply.body)).not.toContain('x1');
  });

  it.each([
    ['RATE_LIMITED', undefined, '1'],
    ['BUDGET_EXCEEDED', 90, '90'],
    ['UNAVAILABLE', 0.2, '1'],
    ['IN_PROGRESS', 2, '2'],
    ['IN_PROGRESS', undefined, undefined],
    ['FORBIDDEN', undefined, undefined],
  ] as const)('tells for %s with %p to retry after %p', (reason, seconds, expected) => {
    const options = seconds === undefined ? {} : { retryAfter: seconds };
    expect(presentOutcome(failed(reason, options)).headers['Retry-After']).toBe(expected);
  });

  it('challenges for credentials and for missing scopes that fit a header', () => {
    expect(presentOutcome(failed('UNAUTHENTICATED')).headers['WWW-Authenticate']).toBe('Bearer');
    const scoped = failed('FORBIDDEN', { missingScopes: ['orders:read', 'bad"\r\nscope', 'orders:write'] });
    expect(presentOutcome(scoped).headers['WWW-Authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="orders:read orders:write"',
    );
    expect(presentOutcome(failed('FORBIDDEN')).headers).not.toHaveProperty('WWW-Authenticate');
  });
});
