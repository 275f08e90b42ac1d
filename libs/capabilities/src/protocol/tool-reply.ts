import { CapabilityError } from '../errors/capability-error.js';
import type { Outcome, SuspendedOutcome } from '../execution/outcome.js';
import type { CallSite } from './call-site.js';
import { declares } from './client-features.js';
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
  const end = outcome.status === 'suspended' ? askForDecision(site, rounds, outcome) : rounds.end(outcome);
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
  if (outcome.status === 'suspended') return pendingMembers(outcome);
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
/** The question's key across the rounds of one call. */
const DECISION_KEY = 'approval';

/**
 * Sends the caller to the page where the call is decided, where its client can show one: as a question in the
 * stateless era, as an error in earlier revisions. Else the pending result stands.
 */
function askForDecision(site: CallSite, rounds: MultiRound, outcome: SuspendedOutcome): MultiRoundEnd {
  const { approvalId, links, reasons } = outcome.approval;
  const url = links['decision'];
  if (url === undefined || !declares(site.meta.clientCapabilities, 'elicitation.url'))
    return { kind: 'outcome', outcome };
  const message =
    reasons.length === 0
      ? 'This call needs a decision.'
      : `This call needs a decision: ${reasons.join('; ')}`;
  if (site.era === 'modern') {
    return rounds.ask({
      [DECISION_KEY]: { method: 'elicitation/create', params: { mode: 'url', message, url } },
    });
  }
  const elicitations = [{ mode: 'url', elicitationId: approvalId, url, message }];
  throw new RpcError(URL_ELICITATION_REQUIRED, message, { elicitations });
}
