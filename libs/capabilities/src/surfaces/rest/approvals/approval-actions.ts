import { Inject, Injectable } from '@nestjs/common';
import { ApprovalInbox } from '../../../approvals/approval-inbox.js';
import type { ApprovalRecord } from '../../../approvals/approval-record.js';
import { ApprovalService } from '../../../approvals/approval-service.js';
import { approvalView } from '../../../approvals/approval-view.js';
import { CapabilityRunner } from '../../../execution/capability-runner.js';
import type { FailedOutcome, Outcome } from '../../../execution/outcome.js';
import type { Principal } from '../../../kernel/principal.js';
import { ApprovalLinks } from '../../approval-links.js';
import { type PresentedOutcome, presentOutcome } from '../../present-outcome.js';
import { type HttpExchange, nodeRequest, requestTarget } from '../http-exchange.js';
import { RestCalls } from '../rest-calls.js';
import { ApprovalUrls } from './approval-urls.js';
import { readDecision, readReason, readResolution } from './read-approval-body.js';
import { readInboxRequest } from './read-inbox-request.js';
import { waitingOutcome } from './waiting-outcome.js';

/** One request of an approval route. */
export interface ApprovalCall {
  readonly principal: Principal;
  /** As it stands in the path; empty on the list. */
  readonly id: string;
  readonly exchange: HttpExchange;
}

const SURFACE = 'rest';

/** What the approval routes do. Each throws `CapabilityError` to refuse. */
@Injectable()
export class ApprovalActions {
  constructor(
    @Inject(ApprovalService) private readonly approvals: ApprovalService,
    @Inject(ApprovalInbox) private readonly inbox: ApprovalInbox,
    @Inject(ApprovalLinks) private readonly approvalLinks: ApprovalLinks,
    @Inject(CapabilityRunner) private readonly runner: CapabilityRunner,
    @Inject(RestCalls) private readonly calls: RestCalls,
    @Inject(ApprovalUrls) private readonly urls: ApprovalUrls,
  ) {}

  async list({ principal, exchange }: ApprovalCall): Promise<PresentedOutcome> {
    const request = readInboxRequest(requestTarget(exchange.request));
    const { records, next } = await this.inbox.list(principal, request, SURFACE);
    return ok({ approvals: records.map((record) => this.view(record)), next: next ?? null });
  }

  async get({ principal, id }: ApprovalCall): Promise<PresentedOutcome> {
    return ok(this.view(await this.approvals.get(principal, id, SURFACE)));
  }

  async decide(call: ApprovalCall): Promise<PresentedOutcome> {
    const request = await this.read(call, readDecision);
    return ok(
      this.view(await this.approvals.decide(call.principal, call.id, { ...request, surface: SURFACE })),
    );
  }

  async cancel(call: ApprovalCall): Promise<PresentedOutcome> {
    const { reason } = await this.read(call, (request) => ({ reason: readReason(request) }));
    return ok(this.view(await this.approvals.cancel(call.principal, call.id, reason, SURFACE)));
  }

  async resolve(call: ApprovalCall): Promise<PresentedOutcome> {
    const { outcome, reason } = await this.read(call, readResolution);
    return ok(this.view(await this.approvals.resolve(call.principal, call.id, outcome, reason, SURFACE)));
  }

  /** The stored value runs; the body is not looked at. */
  async execute({ id, exchange }: ApprovalCall): Promise<PresentedOutcome> {
    const outcome = await this.runner.executeApproval(id, await this.calls.options(exchange));
    return presentOutcome(hasFailed(outcome, 'CONSUMED') ? this.withOutcomeLink(outcome, id) : outcome);
  }

  /** What an execution came to; 202 while there was none. */
  async outcome({ principal, id, exchange }: ApprovalCall): Promise<PresentedOutcome> {
    const outcome = await this.runner.approvalOutcome(id, await this.calls.options(exchange));
    if (!hasFailed(outcome, 'APPROVAL_REQUIRED')) return presentOutcome(outcome);
    const record = await this.approvals.get(principal, id, SURFACE);
    return presentOutcome(waitingOutcome(record, this.approvalLinks.of(record), outcome.executionId));
  }

  private view(record: ApprovalRecord): unknown {
    return { ...approvalView(record), links: this.approvalLinks.of(record) };
  }

  private withOutcomeLink(outcome: FailedOutcome, id: string): FailedOutcome {
    return { ...outcome, error: outcome.error.with({ links: { outcome: this.urls.of(id, 'outcome') } }) };
  }

  /** A bad body is told only to those who may see the approval: everyone else gets the 404 of an unknown id. */
  private async read<T>({ principal, id, exchange }: ApprovalCall, read: Read<T>): Promise<T> {
    try {
      return read(nodeRequest(exchange.request));
    } catch (error) {
      await this.approvals.get(principal, id, SURFACE);
      throw error;
    }
  }
}

type Read<T> = (request: ReturnType<typeof nodeRequest>) => T;

const ok = (body: unknown): PresentedOutcome => ({
  status: 200,
  body,
  headers: { 'Content-Type': 'application/json' },
});

const hasFailed = (outcome: Outcome, reason: FailedOutcome['error']['reason']): outcome is FailedOutcome =>
  outcome.status === 'failed' && outcome.error.reason === reason;
