import type { JsonSchema } from '../../../kernel/json.js';
import { APPROVAL_STATES } from './read-inbox-request.js';
import { MAX_REASON } from './read-approval-body.js';

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const texts = { type: 'array', items: text };
const reason = { type: 'string', maxLength: MAX_REASON, description: 'For the requester and the audit.' };

const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const choice = (...allowed: readonly string[]): JsonSchema => ({ type: 'string', enum: [...allowed] });
const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  // OpenAPI 3.0 refuses an empty list.
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties,
    additionalProperties: false,
  };
};

/** One approval, as its routes answer it. */
export const APPROVAL: JsonSchema = closed({
  approvalId: { type: 'string', format: 'uuid' },
  capability: text,
  surface: { type: 'string', description: 'The surface that asked.' },
  type: nullable(text),
  state: choice(...APPROVAL_STATES),
  requester: closed({ id: text, kind: text, human: nullable(text) }),
  action: closed({
    verb: text,
    target: closed({ product: text, kind: text, id: text }),
    arguments: { description: 'Every argument, in full.' },
    reversible: { type: 'boolean' },
  }),
  reasons: texts,
  by: choice('principal', 'another', 'host'),
  strength: choice('none', 'session', 'webauthn'),
  quorum: { type: 'integer', minimum: 1 },
  approvers: nullable(texts),
  inputHash: { type: 'string', description: 'Names the exact input that was approved.' },
  createdAt: time,
  decideBy: time,
  executeBy: nullable(time),
  votes: { type: 'array', items: closed({ decision: choice('approve', 'reject'), by: text, at: time }) },
  decision: nullable(
    closed({ decision: choice('approve', 'reject'), by: text, at: time, reason: nullable(text) }),
  ),
  note: nullable(text),
  outcome: nullable(choice('succeeded', 'failed', 'unknown')),
  links: { type: 'object', additionalProperties: text },
});

/** A page of approvals; `approval` refers to {@link APPROVAL}. */
export const approvalPage = (approval: JsonSchema): JsonSchema =>
  closed({
    approvals: { type: 'array', items: approval },
    next: { ...nullable(text), description: 'The `cursor` of the next page; null on the last.' },
  });

export const DECISION_BODY: JsonSchema = closed(
  {
    decision: choice('approve', 'reject'),
    reason,
    proof: { description: 'What the application’s step-up asks for, such as a WebAuthn assertion.' },
  },
  ['reason', 'proof'],
);

export const CANCEL_BODY: JsonSchema = closed({ reason }, ['reason']);

export const RESOLUTION_BODY: JsonSchema = closed({ outcome: choice('succeeded', 'failed'), reason }, [
  'reason',
]);
