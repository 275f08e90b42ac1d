import type { IncomingMessage } from 'node:http';
import type { DecisionRequest } from '../../../approvals/approval-service.js';
import { CapabilityError } from '../../../errors/capability-error.js';
import { isRecord } from '../../../kernel/json.js';
import { capturedBody } from '../body/captured-body.js';
import { readJsonBody } from '../body/read-json-body.js';

/** Longest reason, characters. */
export const MAX_REASON = 2_000;

export interface ResolutionRequest {
  readonly outcome: 'succeeded' | 'failed';
  readonly reason?: string;
}

/** `{ decision, reason?, proof? }`. Throws MEDIA_TYPE, TOO_LARGE or INPUT_INVALID. */
export function readDecision(request: IncomingMessage): DecisionRequest {
  const body = readObject(request, ['decision', 'reason', 'proof']);
  const { proof } = body;
  return {
    decision: choice(body, 'decision', ['approve', 'reject']),
    ...reasonOf(body),
    ...(proof === undefined ? {} : { proof }),
  };
}

/** `{ reason? }`, or no body. Throws like {@link readDecision}. */
export function readReason(request: IncomingMessage): string | undefined {
  return reasonOf(readObject(request, ['reason'])).reason;
}

/** `{ outcome, reason? }`. Throws like {@link readDecision}. */
export function readResolution(request: IncomingMessage): ResolutionRequest {
  const body = readObject(request, ['outcome', 'reason']);
  return { outcome: choice(body, 'outcome', ['succeeded', 'failed']), ...reasonOf(body) };
}

function readObject(request: IncomingMessage, known: readonly string[]): Readonly<Record<string, unknown>> {
  const body = readJsonBody(capturedBody(request)) ?? {};
  if (!isRecord(body)) throw invalid('The body must be a JSON object.');
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined) throw invalid(`Unknown field: ${unknown}.`, { field: unknown });
  return body;
}

function choice<T extends string>(
  body: Readonly<Record<string, unknown>>,
  field: string,
  allowed: readonly T[],
): T {
  const found = allowed.find((each) => each === body[field]);
  if (found === undefined) throw invalid(`${field}: Must be ${allowed.join(' or ')}.`, { field, allowed });
  return found;
}

function reasonOf({ reason }: Readonly<Record<string, unknown>>): { readonly reason?: string } {
  if (reason === undefined) return {};
  if (typeof reason === 'string' && reason.length <= MAX_REASON) return { reason };
  throw invalid(`reason: Must be a text of at most ${MAX_REASON} characters.`, { field: 'reason' });
}

const invalid = (
  message: string,
  details: { readonly field?: string; readonly allowed?: readonly string[] } = {},
): CapabilityError => new CapabilityError('INPUT_INVALID', { message, ...details });
