import type { ErrorReason } from '../../../errors/error-table.js';
import { ERROR_TABLE } from '../../../errors/error-table.js';
import {
  type CapabilityDefinition,
  type CompiledFailure,
  isReadOnly,
} from '../../../registry/capability-definition.js';
import type { CapabilityRoute } from '../routes/capability-route.js';
import type { ComponentModels, DocumentedSchema } from './component-models.js';
import { ERROR_ENVELOPE, statusDescription } from './library-schemas.js';

/** One documented refusal of an operation. */
export interface ErrorResponse extends DocumentedSchema {
  readonly status: number | 'default';
  readonly description: string;
}

/** The refusals of an operation by status: what its pipeline can answer, and its declared failures. */
export function errorResponses(
  route: CapabilityRoute,
  components: ComponentModels,
): readonly ErrorResponse[] {
  const envelope = components.own('CapabilityErrorEnvelope', ERROR_ENVELOPE);
  const reasons = grouped(possibleReasons(route), (reason) => ERROR_TABLE[reason].http);
  const failures = grouped([...route.definition.failures.values()], ({ status }) => status);
  const statuses = [...new Set([...reasons.keys(), ...failures.keys()])].sort((a, b) => a - b);
  const responses = statuses.map((status): ErrorResponse => {
    const ordinary = reasons.get(status) ?? [];
    const declared = failures.get(status) ?? [];
    const sentences = [statusDescription(ordinary), ...declared.map(failureSentence)];
    const description = sentences.filter((sentence) => sentence !== '').join(' ');
    return { status, description, ...withFailures(envelope, declared, ordinary.length > 0, components) };
  });
  return [
    ...responses,
    { status: 'default', description: 'Any other refusal, in the same form.', ...envelope },
  ];
}

function possibleReasons({ definition, readsQuery }: CapabilityRoute): readonly ErrorReason[] {
  const always: ErrorReason[] = [
    'INPUT_INVALID',
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'NOT_FOUND',
    'INTERNAL',
    'UNAVAILABLE',
    'TIMEOUT',
  ];
  return [
    ...always,
    ...(readsQuery ? [] : (['TOO_LARGE', 'MEDIA_TYPE'] as const)),
    ...(isReadOnly(definition) ? [] : (['IN_PROGRESS', 'OUTCOME_UNKNOWN', 'KEY_REUSED'] as const)),
    ...limitReasons(definition),
  ];
}

function limitReasons({ limits }: CapabilityDefinition): readonly ErrorReason[] {
  if (limits === undefined) return [];
  return limits.budget === undefined ? ['RATE_LIMITED'] : ['RATE_LIMITED', 'BUDGET_EXCEEDED'];
}

const failureSentence = ({ tag, fix }: CompiledFailure): string => `${tag}: ${fix}`;

/** The envelope, with the fields of the failures that this status may carry. */
function withFailures(
  envelope: DocumentedSchema,
  failures: readonly CompiledFailure[],
  also: boolean,
  components: ComponentModels,
): DocumentedSchema {
  if (failures.length === 0) return envelope;
  const declared = failures.map((failure) => failureSchema(envelope, failure, components));
  const branches = [...(also ? [envelope] : []), ...declared];
  const models = branches.flatMap((branch) => branch.models);
  const [only] = branches;
  return {
    schema: branches.length === 1 ? only!.schema : { anyOf: branches.map(({ schema }) => schema) },
    models,
  };
}

function failureSchema(
  envelope: DocumentedSchema,
  { tag, schema }: CompiledFailure,
  components: ComponentModels,
): DocumentedSchema {
  const fields = components.document(schema);
  const failure = {
    allOf: [
      { type: 'object', required: ['tag'], properties: { tag: { type: 'string', enum: [tag] } } },
      open(fields.schema),
    ],
  };
  const error = { type: 'object', required: ['failure'], properties: { failure } };
  return {
    schema: { allOf: [envelope.schema, { type: 'object', required: ['error'], properties: { error } }] },
    models: [...envelope.models, ...fields.models],
  };
}

/** The fields stand beside `tag`: a closed object would refuse it. */
function open(schema: DocumentedSchema['schema']): DocumentedSchema['schema'] {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === false ? rest : schema;
}

function grouped<T>(items: readonly T[], statusOf: (item: T) => number): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) groups.set(statusOf(item), [...(groups.get(statusOf(item)) ?? []), item]);
  return groups;
}
