import { CapabilityError } from '../../../errors/capability-error.js';
import { errorEnvelope } from '../../../errors/error-envelope.js';
import { isRecord } from '../../../kernel/json.js';
import type { DiagnosticKind, ProgramDiagnostic } from './diagnostic.js';
import { sanitizeMessage } from './sanitize-message.js';

/** A call that failed, as the program sees it and as the diagnostic says it when it escapes. */
export interface CallFailure {
  readonly kind: DiagnosticKind;
  readonly tag: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const plain = (kind: DiagnosticKind, tag: string, message: string): CallFailure => ({
  kind,
  tag,
  message,
  fields: {},
});

export const unknownTool = (name: string): CallFailure =>
  plain('UnknownTool', 'UnknownCapability', sanitizeMessage(`There is no tool "${name}".`));

export const invalidInput = (name: string): CallFailure =>
  plain('InvalidToolInput', 'InvalidInput', `The input of "${name}" is not valid.`);

export const invalidOutput = (name: string): CallFailure =>
  plain('InvalidToolOutput', 'UnencodableOutput', `The output of "${name}" cannot be handed over.`);

export const callLimit = (): CallFailure =>
  plain('ToolCallLimitExceeded', 'ToolCallLimitExceeded', 'The program made too many tool calls.');

/**
 * What a pipeline's refusal is inside a program. Messages of bad input and of faults are generic; the public
 * members of the error (issues, hint, declared fields) ride along for the program alone.
 */
export function callFailure(name: string, error: CapabilityError): CallFailure {
  const { reason, message, executionId: _, failure, ...details } = errorEnvelope(error).error;
  switch (reason) {
    case 'NOT_FOUND':
      return unknownTool(name);
    case 'INPUT_INVALID':
      return { ...invalidInput(name), fields: { reason, ...details } };
    case 'OUTPUT_INVALID':
      return invalidOutput(name);
    case 'INTERNAL':
      return plain('ToolFailure', 'HostDefect', `"${name}" failed inside. Its cause was logged.`);
    default: {
      const { tag, ...fields } = isRecord(failure) ? failure : { tag: undefined };
      return {
        kind: 'ToolFailure',
        tag: typeof tag === 'string' ? tag : reason,
        message: sanitizeMessage(message) || `The call failed: ${reason}.`,
        fields: { reason, ...details, ...fields },
      };
    }
  }
}

/** The diagnostic of a failure that escaped. */
export const failureDiagnostic = ({ kind, tag, message }: CallFailure): ProgramDiagnostic => ({
  kind,
  message,
  tag,
});
