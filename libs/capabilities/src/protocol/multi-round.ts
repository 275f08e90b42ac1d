import type { ApprovalRecord } from '../approvals/approval-record.js';
import type { ClientRequest } from '../contract/client-channel.js';
import type { FailedOutcome, Outcome } from '../execution/outcome.js';
import { QuestionPending } from '../execution/question-pending.js';
import { isReadOnly, type CapabilityDefinition } from '../registry/capability-definition.js';
import type { AskingChannel } from './asking-channel.js';
import type { CallSite } from './call-site.js';
import { decisionForm, decisionKey, DecisionQuestion } from './decision-question.js';
import { LiveChannel } from './live-channel.js';
import type { McpServer } from './mcp-server.js';
import { ownerKey } from './owner-key.js';
import { ReplayChannel } from './replay-channel.js';
import type { StateBinding } from './request-state.js';

/** What a call that may ask its client ended with. */
export type MultiRoundEnd =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** The handler waits for answers. */
  | {
      readonly kind: 'asked';
      readonly requests: Readonly<Record<string, ClientRequest>>;
      readonly state: string;
    };

/** The way to the client of one request, in the manner of its era. */
export class MultiRound {
  readonly channel: AskingChannel;
  private readonly replay: ReplayChannel | undefined;
  private readonly binding: StateBinding;
  /** Asks the principal to decide on a call that waits for them. */
  readonly decision: DecisionQuestion;

  constructor(
    private readonly server: McpServer,
    site: CallSite,
  ) {
    const owner = ownerKey(site.principal);
    const { endpoint } = server.options;
    this.binding = { endpoint, owner, method: site.call.method, params: site.call.params };
    if (site.era === 'modern') {
      this.replay = new ReplayChannel(site.meta.clientCapabilities);
      this.channel = this.replay;
    } else {
      this.channel = new LiveChannel(site.meta.clientCapabilities, {
        pending: server.pending,
        owner,
        signal: site.signal,
        timeoutMs: server.options.answerTimeoutMs,
        send: (message) => site.send(message),
      });
    }
    const asksByForm = server.options.approvalForms && this.channel.supports('elicitation');
    this.decision = new DecisionQuestion(
      asksByForm ? (key, question) => this.answerTo(key, question) : undefined,
    );
  }

  /** The answer that came with this request, or of a client that answers on the open call. */
  private async answerTo(key: string, question: ClientRequest): Promise<unknown> {
    if (this.replay !== undefined) return this.replay.answers[key];
    try {
      return (await this.channel.ask({ [key]: question }))[key];
    } catch {
      // Nobody answered: the request stays pending.
      return undefined;
    }
  }

  /** Ends a call that waits for its principal with the question, where the client can be asked by form. */
  askDecision(approval: ApprovalRecord): MultiRoundEnd | undefined {
    if (this.replay === undefined || !this.decision.asksByForm) return undefined;
    return this.ask({ [decisionKey(approval.id)]: decisionForm(approval) });
  }

  /** True when this request is the answered retry of an earlier one. */
  get isRetry(): boolean {
    return this.replay !== undefined && this.binding.params['requestState'] !== undefined;
  }

  /**
   * Takes the answers of this round. A read may be answered before it asks; a write must have asked in this
   * exchange. Throws {@link RpcError} −32602 for a state that is not valid here.
   */
  async redeem(definition: CapabilityDefinition): Promise<void> {
    if (this.replay === undefined) return;
    this.replay.answers = await this.server.states.redeem(this.binding, isReadOnly(definition));
  }

  /** Reads the end of a call. Throws {@link RpcError} −32021 when it needed what the client did not declare. */
  end(outcome: Outcome): MultiRoundEnd {
    const replay = this.replay;
    if (replay === undefined || outcome.status !== 'failed') return { kind: 'outcome', outcome };
    if (replay.refusal !== undefined) throw replay.refusal;
    const requests = waitsFor(replay, outcome);
    return requests === undefined ? { kind: 'outcome', outcome } : this.ask(requests);
  }

  /** Ends the call with questions; its answers so far ride in the state. */
  ask(requests: Readonly<Record<string, ClientRequest>>): MultiRoundEnd {
    const state = this.server.states.mint(this.binding, Object.keys(requests), this.replay?.used ?? {});
    return { kind: 'asked', requests, state };
  }
}

/** What a failed run of a handler waits for; undefined when it failed for another reason. */
export function waitsFor(
  replay: ReplayChannel,
  outcome: FailedOutcome,
): Readonly<Record<string, ClientRequest>> | undefined {
  return outcome.error instanceof QuestionPending ? replay.asked : undefined;
}
