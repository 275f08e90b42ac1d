import { Inject, Injectable } from '@nestjs/common';
import type { ApprovalRecord } from '../../../../approvals/approval-record.js';
import { ApprovalService, type DecisionRequest } from '../../../../approvals/approval-service.js';
import { isSelfApproval } from '../../../../approvals/approver-rules.js';
import { CapabilityError } from '../../../../errors/capability-error.js';
import { normalizeError } from '../../../../errors/normalize-error.js';
import { Clock } from '../../../../kernel/clock.js';
import type { Principal } from '../../../../kernel/principal.js';
import { CapabilityRegistry } from '../../../../registry/capability-registry.js';
import { type HttpExchange, nodeRequest } from '../../http-exchange.js';
import { sendBytes } from '../../reply/send-reply.js';
import { RestCalls } from '../../rest-calls.js';
import { REST_OPTIONS, type ResolvedRestOptions } from '../../rest-options.js';
import { approvalIdOf, knownPrincipal } from '../approval-endpoint.js';
import { ApprovalUrls } from '../approval-urls.js';
import { MAX_REASON } from '../read-approval-body.js';
import { decisionPage } from './decision-page.js';
import { FormTokens } from './form-tokens.js';
import { type HtmlPage, layout, PAGE_HEADERS } from './layout.js';
import { markup } from './markup.js';
import { readForm } from './read-form.js';
import { isSameOrigin } from './request-origin.js';

/** The page on which a person reads one approval and decides. Who they are, the `PrincipalResolver` says. */
@Injectable()
export class DecisionPageEndpoint {
  constructor(
    @Inject(RestCalls) private readonly calls: RestCalls,
    @Inject(ApprovalService) private readonly approvals: ApprovalService,
    @Inject(CapabilityRegistry) private readonly registry: CapabilityRegistry,
    @Inject(FormTokens) private readonly tokens: FormTokens,
    @Inject(ApprovalUrls) private readonly urls: ApprovalUrls,
    @Inject(REST_OPTIONS) private readonly options: ResolvedRestOptions,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** GET */
  show(exchange: HttpExchange): Promise<void> {
    return answer(exchange, async () => {
      const principal = knownPrincipal(await this.calls.principal(exchange.request));
      const record = await this.approvals.get(principal, approvalIdOf(exchange), 'rest');
      return this.page(200, principal, record);
    });
  }

  /** POST: back to the page when the decision counts, the page with what it found when it does not. */
  submit(exchange: HttpExchange): Promise<void> {
    return answer(exchange, async () => {
      const principal = knownPrincipal(await this.calls.principal(exchange.request));
      const id = approvalIdOf(exchange);
      const request = this.readDecision(exchange, principal, id);
      try {
        await this.approvals.decide(principal, id, request);
      } catch (thrown) {
        const error = normalizeError(thrown);
        if (error.reason === 'NOT_FOUND' || error.status >= 500) throw thrown;
        const record = await this.approvals.get(principal, id, 'rest');
        return this.page(error.status, principal, record, noticeOf(error));
      }
      return { status: 303, headers: { ...PAGE_HEADERS, Location: this.urls.of(id, 'page') }, body: EMPTY };
    });
  }

  /** Throws FORBIDDEN for a form that this page did not give to this principal. */
  private readDecision(exchange: HttpExchange, principal: Principal, id: string): DecisionRequest {
    const request = nodeRequest(exchange.request);
    if (!isSameOrigin(request, this.options.approvals?.publicUrl)) {
      throw new CapabilityError('FORBIDDEN', { message: 'The decision did not come from this page.' });
    }
    const form = readForm(request);
    if (!this.tokens.accepts(principal, id, form.get('token') ?? '')) {
      throw new CapabilityError('FORBIDDEN', {
        message: 'The form is too old or not yours. Open the page again.',
      });
    }
    const decision = form.get('decision');
    const reason = form.get('reason')?.trim() ?? '';
    if ((decision !== 'approve' && decision !== 'reject') || reason.length > MAX_REASON) {
      throw new CapabilityError('INPUT_INVALID', { message: 'Decide by one of the buttons of the page.' });
    }
    return { decision, surface: 'rest', ...(reason === '' ? {} : { reason }) };
  }

  private page(status: number, principal: Principal, record: ApprovalRecord, notice?: string): HtmlPage {
    const decides = record.state === 'pending' && !isSelfApproval(principal, record);
    const main = decisionPage({
      record,
      capability: this.registry.get(record.capability),
      now: this.clock.now(),
      token: decides ? this.tokens.issue(principal, record.id) : undefined,
      ...(notice === undefined ? {} : { notice }),
    });
    return layout(status, 'Decision', main);
  }
}

const EMPTY = Buffer.alloc(0);

/** A refusal is a page too; a fault goes to the route's filter, which reports it. */
async function answer(exchange: HttpExchange, make: () => Promise<HtmlPage>): Promise<void> {
  const page = await make().catch((thrown: unknown) => {
    const error = normalizeError(thrown);
    if (error.reason === 'INTERNAL') throw thrown;
    return layout(error.status, 'Decision', markup`<h1>${error.message}</h1>`);
  });
  const challenge: Record<string, string> = page.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  sendBytes(
    exchange.response,
    { status: page.status, headers: { ...page.headers, ...challenge } },
    page.body,
  );
}

/** A late click learns who decided and when. */
function noticeOf(error: CapabilityError): string {
  const { decision, hint } = error.details;
  if (error.reason === 'ALREADY_DECIDED' && decision !== undefined) {
    return `Already decided by ${decision.by} at ${decision.at}.`;
  }
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}
