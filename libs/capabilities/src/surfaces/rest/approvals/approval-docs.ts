import { ERROR_TABLE, type ErrorReason } from '../../../errors/error-table.js';
import type { JsonSchema } from '../../../kernel/json.js';
import type { ComponentModels } from '../openapi/component-models.js';
import { APPROVAL_REQUIRED, ERROR_ENVELOPE, statusDescription } from '../openapi/library-schemas.js';
import type { DescribeOperation, Use } from '../openapi/operation-docs.js';
import type { SwaggerDecorators } from '../openapi/swagger-decorators.js';
import { APPROVAL, approvalPage, CANCEL_BODY, DECISION_BODY, RESOLUTION_BODY } from './approval-schemas.js';
import { APPROVAL_ORDERS, APPROVAL_STATES, APPROVAL_VIEWS, MAX_LIMIT } from './read-inbox-request.js';

export type ApprovalOperation = 'list' | 'get' | 'decide' | 'execute' | 'cancel' | 'outcome' | 'resolve';

const ALWAYS = ['UNAUTHENTICATED', 'UNAVAILABLE', 'INTERNAL'] as const;
const ONE = [...ALWAYS, 'NOT_FOUND'] as const;
const BODY = ['INPUT_INVALID', 'MEDIA_TYPE', 'TOO_LARGE'] as const;
const NOT_EXECUTABLE = ['APPROVAL_DENIED', 'APPROVAL_VOID', 'EXPIRED', 'WITHDRAWN'] as const;
const NOT_DECIDABLE = ['ALREADY_DECIDED', 'EXPIRED', 'WITHDRAWN'] as const;

/** How each approval route stands in the OpenAPI document. */
export const APPROVAL_DOCS: Readonly<Record<ApprovalOperation, DescribeOperation>> = {
  list: (swagger, components, use) => [
    ...head(
      swagger,
      'list',
      'List approvals',
      'Own requests and those one may decide; `all` needs `approvals:audit`.',
    ),
    ...queryParameters(swagger),
    swagger.ApiResponse(
      done(use(components.document({ exact: approvalPage(REFERENCE), named: { Approval: APPROVAL } }))),
    ),
    ...errors(swagger, components, use, [...ALWAYS, 'INPUT_INVALID', 'FORBIDDEN']),
  ],
  get: (swagger, components, use) => [
    ...head(
      swagger,
      'get',
      'Read an approval',
      'For its requester, for those who may decide, and for auditors.',
    ),
    ...answersApproval(swagger, components, use, ONE),
  ],
  decide: (swagger, components, use) => [
    ...head(
      swagger,
      'decide',
      'Decide on an approval',
      'One reject denies; the last approval of the quorum approves.',
    ),
    swagger.ApiBody({ schema: DECISION_BODY, required: true }),
    ...answersApproval(swagger, components, use, [
      ...ONE,
      ...BODY,
      ...NOT_DECIDABLE,
      ...(['FORBIDDEN', 'SELF_APPROVAL', 'SAME_CREDENTIAL'] as const),
    ]),
  ],
  execute: (swagger, components, use) => [
    ...head(
      swagger,
      'execute',
      'Execute an approved call',
      'The stored input runs, once; a body is ignored. For the requester.',
    ),
    ...answersOutcome(swagger, components, use),
    ...errors(swagger, components, use, [
      ...([...ONE, ...NOT_EXECUTABLE, 'FORBIDDEN', 'SELF_APPROVAL'] as const),
      ...(['CONSUMED', 'CAPABILITY_CHANGED', 'RATE_LIMITED', 'TIMEOUT'] as const),
    ]),
  ],
  cancel: (swagger, components, use) => [
    ...head(swagger, 'cancel', 'Withdraw a request', 'For the requester, before it is executed.'),
    swagger.ApiBody({ schema: CANCEL_BODY, required: false }),
    ...answersApproval(swagger, components, use, [
      ...ONE,
      ...BODY,
      ...NOT_EXECUTABLE,
      'FORBIDDEN',
      'CONSUMED',
    ]),
  ],
  outcome: (swagger, components, use) => [
    ...head(
      swagger,
      'outcome',
      'Read what an execution came to',
      'For the requester. A declared failure answers as it did.',
    ),
    ...answersOutcome(swagger, components, use),
    ...errors(swagger, components, use, [
      ...ONE,
      ...NOT_EXECUTABLE,
      'FORBIDDEN',
      'IN_PROGRESS',
      'OUTCOME_UNKNOWN',
    ]),
  ],
  resolve: (swagger, components, use) => [
    ...head(
      swagger,
      'resolve',
      'Settle an unknown outcome',
      'An operator (`approvals:operate`) states what it came to.',
    ),
    swagger.ApiBody({ schema: RESOLUTION_BODY, required: true }),
    ...answersApproval(swagger, components, use, [
      ...ONE,
      ...BODY,
      'FORBIDDEN',
      'ALREADY_DECIDED',
      'IN_PROGRESS',
    ]),
  ],
};

const REFERENCE: JsonSchema = { $ref: '#/$defs/Approval' };
const DONE = 'Done.';

function head(
  swagger: SwaggerDecorators,
  operation: ApprovalOperation,
  summary: string,
  description: string,
): readonly MethodDecorator[] {
  const id = swagger.ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' }, required: true });
  return [
    swagger.ApiOperation({ operationId: `approvals_${operation}`, summary, description }),
    swagger.ApiSecurity({ bearer: [] }),
    ...(operation === 'list' ? [] : [id]),
  ];
}

function queryParameters(swagger: SwaggerDecorators): readonly MethodDecorator[] {
  const parameter = (name: string, schema: JsonSchema): MethodDecorator =>
    swagger.ApiQuery({ name, schema, required: false });
  return [
    parameter('view', { type: 'string', enum: [...APPROVAL_VIEWS] }),
    parameter('state', { type: 'array', items: { type: 'string', enum: [...APPROVAL_STATES] } }),
    parameter('capability', { type: 'string' }),
    parameter('type', { type: 'string' }),
    parameter('limit', { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: 50 }),
    parameter('cursor', { type: 'string' }),
    parameter('order', { type: 'string', enum: [...APPROVAL_ORDERS], default: 'newest' }),
  ];
}

const done = (schema: JsonSchema): Record<string, unknown> => ({ status: 200, description: DONE, schema });

function answersApproval(
  swagger: SwaggerDecorators,
  components: ComponentModels,
  use: Use,
  reasons: readonly ErrorReason[],
): readonly MethodDecorator[] {
  const schema = use(components.own('Approval', APPROVAL));
  return [swagger.ApiResponse(done(schema)), ...errors(swagger, components, use, reasons)];
}

function answersOutcome(
  swagger: SwaggerDecorators,
  components: ComponentModels,
  use: Use,
): readonly MethodDecorator[] {
  const waits = use(components.own('CapabilityApprovalRequired', APPROVAL_REQUIRED));
  const location = { Location: { description: 'The approval.', schema: { type: 'string' } } };
  return [
    swagger.ApiResponse({ status: 200, description: 'The output of the capability.', schema: {} }),
    swagger.ApiResponse({ status: 204, description: 'The capability returned nothing.' }),
    swagger.ApiResponse({ status: 202, description: 'Waits.', headers: location, schema: waits }),
  ];
}

function errors(
  swagger: SwaggerDecorators,
  components: ComponentModels,
  use: Use,
  reasons: readonly ErrorReason[],
): readonly MethodDecorator[] {
  const schema = use(components.own('CapabilityErrorEnvelope', ERROR_ENVELOPE));
  const statuses = [...new Set(reasons.map((reason) => ERROR_TABLE[reason].http))].sort((a, b) => a - b);
  return statuses.map((status) => {
    const description = statusDescription(reasons.filter((reason) => ERROR_TABLE[reason].http === status));
    return swagger.ApiResponse({ status, description, schema });
  });
}
