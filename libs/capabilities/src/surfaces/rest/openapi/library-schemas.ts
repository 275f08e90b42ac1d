import { ERROR_TABLE, type ErrorReason, TOOL_ERROR_CODES } from '../../../errors/error-table.js';
import type { JsonSchema } from '../../../kernel/json.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });

/** The body of every refusal. */
export const ERROR_ENVELOPE: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'reason'],
      properties: {
        code: { type: 'string', enum: [...TOOL_ERROR_CODES], description: 'What to act on.' },
        message: text('What happened, for people.'),
        reason: { type: 'string', enum: Object.keys(ERROR_TABLE), description: 'The exact reason.' },
        hint: text('What to do next.'),
        field: text('Dotted path of the first offending field.'),
        allowed: { type: 'array', items: {}, description: 'Permitted values of that field.' },
        issues: {
          type: 'array',
          items: {
            type: 'object',
            required: ['field', 'message'],
            properties: { field: { type: 'string' }, message: { type: 'string' } },
          },
        },
        candidates: { type: 'array', items: {} },
        existing_id: { type: 'string' },
        failure: {
          type: 'object',
          required: ['tag'],
          properties: { tag: text('Which declared failure it is.') },
          additionalProperties: true,
        },
        approvalId: { type: 'string' },
        decision: {
          type: 'object',
          properties: { decision: { type: 'string' }, by: { type: 'string' }, at: { type: 'string' } },
        },
        links: { type: 'object', additionalProperties: { type: 'string' } },
        retryAfter: { type: 'number', description: 'Seconds to wait before a retry.' },
        executionId: text('Names this call in logs and audit.'),
      },
    },
  },
};

/** The body of a suspended call. */
export const APPROVAL_REQUIRED: JsonSchema = {
  type: 'object',
  required: ['status', 'approvalId', 'decideBy', 'executeBy', 'reasons', 'links'],
  properties: {
    status: { type: 'string', enum: ['approval_required'] },
    approvalId: { type: 'string' },
    decideBy: { type: 'string', format: 'date-time' },
    executeBy: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Null until approved: the time to execute starts with the decision.',
    },
    reasons: { type: 'array', items: { type: 'string' } },
    links: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

/** What a status means: the sentences of the reasons that answer with it. */
export function statusDescription(reasons: readonly ErrorReason[]): string {
  return reasons.map((reason) => `${reason}: ${ERROR_TABLE[reason].message}`).join(' ');
}
