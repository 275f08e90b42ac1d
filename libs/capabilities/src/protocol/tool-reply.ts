import { DECISION_LINK } from '../approvals/decision-link.js';
import { CapabilityError } from '../errors/capability-error.js';
import type { Outcome, SuspendedOutcome } from '../execution/outcome.js';
import type { CallSite } from './call-site.js';
import { clientLinks } from './client-links.js';
import { declares } from './client-features.js';
import { decisionKey } from './decision-question.js';
import { legacyResult } from './era-results.js';
import type { McpServer } from './mcp-server.js';
import type { MultiRound, MultiRoundEnd } from './multi-round.js';
import { invalidParams, RpcError } from './rpc-error.js';
import type { ToolEntry } from './tool-entry.js';
import { completedMembers, failedMembers, pendingMembers, type ResultParts } from './tool-result.js';

/** The reply to a finished call in the form of its era. Unknown, unexposed and hidden are one answer. */
export function toolReply(
  server: McpServer,
  site: CallSite,
  entry: ToolEntry | undefined,
  rounds: MultiRound,
  outcome: Outcome,
): string {
  const end =
    outcome.status === 'suspended' ? askForDecision(server, site, rounds, outcome) : rounds.end(outcome);
  if (end.kind === 'asked') return server.results.inputRequired(end.requests, end.state);
  const parts = toolParts(server, site.era, entry, end.outcome);
  return site.era === 'modern' ? server.results.complete(parts) : legacyResult(parts);
}

/** An outcome as a `CallToolResult`. Throws {@link RpcError} −32602 for an unknown tool. */
export function toolParts(
  server: McpServer,
  era: 'modern' | 'legacy',
  entry: ToolEntry | undefined,
  outcome: Outcome,
): ResultParts {
  if (entry === undefined || (outcome.status === 'failed' && outcome.error.reason === 'NOT_FOUND')) {
    throw invalidParams('Unknown tool');
  }
  if (outcome.status === 'suspended') {
    const { approval } = outcome;
    const { publicUrl, outputSchema } = server.options;
    return pendingMembers({ ...approval, links: clientLinks(approval.links, publicUrl) }, outputSchema);
  }
  if (outcome.status === 'failed') return failedMembers(outcome);
  try {
    return completedMembers(outcome, { era, result: entry.result });
  } catch (cause) {
    server.ports.onFault(cause);
    const { executionId, capability } = outcome;
    const error = new CapabilityError('OUTPUT_INVALID', { cause });
    return failedMembers({ status: 'failed', executionId, capability, replayed: false, error });
  }
}

/** URL elicitation required (2025-11-25). */
const URL_ELICITATION_REQUIRED = -32042;

/**
 * Asks the principal to decide, where they may and their client can: by the page where calls are decided, as a
 * question in the stateless era and as an error in earlier revisions, or by a form where the endpoint opted in.
 * Else the pending result stands.
 */
function askForDecision(
  server: McpServer,
  site: CallSite,
  rounds: MultiRound,
  outcome: SuspendedOutcome,
): MultiRoundEnd {
  const { waiting } = rounds.decision;
  if (waiting === undefined) return { kind: 'outcome', outcome };
  const url = clientLinks(outcome.approval.links, server.options.publicUrl)[DECISION_LINK];
  if (url === undefined || !URL.canParse(url) || !declares(site.meta.clientCapabilities, 'elicitation.url')) {
    return rounds.askDecision(waiting) ?? { kind: 'outcome', outcome };
  }
  const message = ['This call needs your decision.', ...outcome.approval.reasons].join(' ');
  if (site.era === 'modern') {
    return rounds.ask({
      [decisionKey(waiting.id)]: { method: 'elicitation/create', params: { mode: 'url', message, url } },
    });
  }
  const elicitations = [{ mode: 'url', elicitationId: waiting.id, url, message }];
  throw new RpcError(URL_ELICITATION_REQUIRED, message, { elicitations });
}
