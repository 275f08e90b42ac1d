import type { ApprovalRecord } from './approval-record.js';

/** What the human at the other end said. */
export interface InlineAnswer {
  readonly decision: 'approve' | 'reject';
  readonly reason?: string;
}

/**
 * Asks the human behind the call on a channel that the model cannot reach, while the call waits (port):
 * a CLI prompt, an MCP elicitation, a test. Undefined means that nobody answered; the request stays pending.
 */
export abstract class InlineConfirmer {
  abstract confirm(approval: ApprovalRecord, signal: AbortSignal): Promise<InlineAnswer | undefined>;
}
