import { DECISION_LINK } from '../approvals/decision-link.js';
import type { ObjectRef } from '../contract/object-ref.js';
import type { CapabilityError } from '../errors/capability-error.js';
import { errorEnvelope } from '../errors/error-envelope.js';
import type { CompletedOutcome, FailedOutcome, SuspendedOutcome } from '../execution/outcome.js';
import { isRecord } from '../kernel/json.js';
import { linkBlock, textBlock, type ContentBlock } from './content.js';

/** A result as serialized members without braces, and members for its `_meta`: eras add their own. */
export interface ResultParts {
  readonly members: string;
  readonly meta?: string;
}

/**
 * The `CallToolResult` of a completed call. The text and the structured content come from the same redacted
 * value, serialized once. Throws `TypeError` when the method was to return content and did not.
 */
export function completedMembers(
  outcome: CompletedOutcome,
  form: { readonly era: 'modern' | 'legacy'; readonly result: 'data' | 'content' },
): ResultParts {
  const links = outcome.cites.map(citationBlock);
  if (form.result === 'content') return { members: contentMembers(outcome.output, links) };
  const { output } = outcome;
  if (output === undefined) return { members: `"content":${JSON.stringify(links)}` };
  const json = JSON.stringify(output);
  const blocks = [textBlock(typeof output === 'string' ? output : json), ...links];
  const data = structured(output, json, form.era);
  return { members: `"content":${JSON.stringify(blocks)},"structuredContent":${data}` };
}

/** Earlier revisions know objects only: anything else is wrapped, like its schema. */
function structured(value: unknown, json: string, era: 'modern' | 'legacy'): string {
  return era === 'modern' || isRecord(value) ? json : `{"result":${json}}`;
}

function contentMembers(output: unknown, links: readonly ContentBlock[]): string {
  const content = isRecord(output) ? output['content'] : undefined;
  if (!isRecord(output) || !Array.isArray(content) || !content.every(isBlock)) {
    throw new TypeError("A capability with mcp.result 'content' must return { content: ContentBlock[] }.");
  }
  const data = output['structuredContent'];
  const blocks = JSON.stringify([...(content as unknown[]), ...links]);
  return `"content":${blocks}${data === undefined ? '' : `,"structuredContent":${JSON.stringify(data)}`}`;
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource_link', 'resource']);

function isBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && BLOCK_TYPES.has(value['type']);
}

/** A cited object as a link that a client can show: `object:{product}/{kind}/{id}`. */
function citationBlock({ product, kind, id }: ObjectRef): ContentBlock {
  const uri = `object:${[product, kind, id].map(encodeURIComponent).join('/')}`;
  return linkBlock(uri, `${kind} ${id}`);
}

/** A failed call as a result that models and older clients can read; the envelope rides beside it. */
export function failedMembers(outcome: FailedOutcome): ResultParts {
  const envelope = errorEnvelope(outcome.error, { executionId: outcome.executionId });
  const content = [textBlock(failureText(outcome.error, envelope.error.message))];
  return {
    members: `"content":${JSON.stringify(content)},"isError":true`,
    meta: `"${ERROR_META}":${JSON.stringify(envelope.error)}`,
  };
}

/** The `_meta` key of a tool result under which the error envelope is found. */
const ERROR_META = 'nest-capabilities/error';

/** `message — fix`, with every further offending field. Masked faults show their public sentence only. */
function failureText(error: CapabilityError, message: string): string {
  const { issues = [], hint } = error.details;
  const further = issues.slice(1).map((issue) => `${issue.field}: ${issue.message}`);
  const all = further.length === 0 ? message : `${message}; ${further.join('; ')}`;
  return hint === undefined ? all : `${all} — ${hint}`;
}

/** The `_meta` key under which a pending call is found where results are checked against an output schema. */
const APPROVAL_META = 'nest-capabilities/approval';

/**
 * A call that waits for a decision: the model learns that it is pending, and under which id. Where the tool
 * advertises an output schema (`checked`), clients refuse data of another form unless the result is an error.
 */
export function pendingMembers(approval: SuspendedOutcome['approval'], checked: boolean): ResultParts {
  const { approvalId, decideBy, executeBy, reasons, links } = approval;
  const page = links[DECISION_LINK];
  const why = reasons.length > 0 ? ` Reasons: ${reasons.join('; ')}.` : '';
  const where = page === undefined ? '' : ` It is decided at ${page}.`;
  const text = `Nothing has run yet. This call waits for approval ${approvalId} until ${decideBy}.${why}${where} Call the tool again with the same arguments once it is approved.`;
  const status = 'approval_required';
  const data = JSON.stringify({ status, approvalId, decideBy, executeBy: executeBy ?? null, reasons, links });
  const content = `"content":${JSON.stringify([textBlock(text)])}`;
  return checked
    ? { members: `${content},"isError":true`, meta: `"${APPROVAL_META}":${data}` }
    : { members: `${content},"structuredContent":${data}` };
}
