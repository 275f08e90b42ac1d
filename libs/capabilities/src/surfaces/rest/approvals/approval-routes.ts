import { Inject, Injectable, type Type } from '@nestjs/common';
import type { Module } from '@nestjs/core/injector/module.js';
import type { HttpMethod } from '../../../contract/capability-options.js';
import { ApprovalLinks } from '../../approval-links.js';
import type { HttpExchange } from '../http-exchange.js';
import { OperationDocs } from '../openapi/operation-docs.js';
import { REST_OPTIONS, type ResolvedRestOptions } from '../rest-options.js';
import { controllerClass } from '../routes/controller-stub.js';
import { addHandler } from '../routes/generated-handler.js';
import { addLateController } from '../routes/late-controller.js';
import { RoutePublisher } from '../routes/route-publisher.js';
import { ApprovalActions } from './approval-actions.js';
import { APPROVAL_DOCS, type ApprovalOperation } from './approval-docs.js';
import { ApprovalEndpoint } from './approval-endpoint.js';
import { approvalRouteProblems } from './approval-route-options.js';
import { ApprovalUrls } from './approval-urls.js';
import { DecisionPageEndpoint } from './page/decision-page-endpoint.js';

interface Route {
  readonly key: ApprovalOperation | 'page' | 'submit';
  readonly method: HttpMethod;
  /** Below the approvals' path. */
  readonly path: string;
  readonly serve: (exchange: HttpExchange) => Promise<void>;
}

/** Adds the approval routes to the surface's own module. None of them is reachable by a model. */
@Injectable()
export class ApprovalRoutes {
  constructor(
    @Inject(REST_OPTIONS) private readonly options: ResolvedRestOptions,
    @Inject(RoutePublisher) private readonly publisher: RoutePublisher,
    @Inject(OperationDocs) private readonly docs: OperationDocs,
    @Inject(ApprovalEndpoint) private readonly endpoint: ApprovalEndpoint,
    @Inject(ApprovalActions) private readonly actions: ApprovalActions,
    @Inject(DecisionPageEndpoint) private readonly page: DecisionPageEndpoint,
    @Inject(ApprovalUrls) private readonly urls: ApprovalUrls,
    @Inject(ApprovalLinks) private readonly links: ApprovalLinks,
  ) {}

  /** Once, after the capabilities' own routes were published. */
  publish(home: Module): void {
    const { approvals, path } = this.options;
    if (approvals === undefined || approvalRouteProblems(approvals, path).length > 0) return;
    this.urls.servedBy(home);
    this.links.register((record) => this.urls.links(record));
    const controller = controllerClass('ApprovalsController');
    this.docs.controllerTag([], 'approvals')?.(controller);
    for (const route of [...this.apiRoutes(), ...this.pageRoutes()]) this.add(controller, home, route);
    addLateController(home, controller);
  }

  private apiRoutes(): readonly Route[] {
    const { actions, endpoint } = this;
    const route = (
      key: ApprovalOperation,
      method: HttpMethod,
      path: string,
      action: Parameters<ApprovalEndpoint['handle']>[1],
    ): Route => ({ key, method, path, serve: (exchange) => endpoint.handle(exchange, action) });
    return [
      route('list', 'GET', '', (call) => actions.list(call)),
      route('get', 'GET', '/:id', (call) => actions.get(call)),
      route('decide', 'POST', '/:id/decision', (call) => actions.decide(call)),
      route('execute', 'POST', '/:id/execute', (call) => actions.execute(call)),
      route('cancel', 'POST', '/:id/cancel', (call) => actions.cancel(call)),
      route('outcome', 'GET', '/:id/outcome', (call) => actions.outcome(call)),
      route('resolve', 'POST', '/:id/resolution', (call) => actions.resolve(call)),
    ];
  }

  private pageRoutes(): readonly Route[] {
    if (this.options.approvals?.page !== true) return [];
    const { page } = this;
    return [
      { key: 'page', method: 'GET', path: '/:id/page', serve: (exchange) => page.show(exchange) },
      { key: 'submit', method: 'POST', path: '/:id/page', serve: (exchange) => page.submit(exchange) },
    ];
  }

  private add(controller: Type<object>, home: Module, { key, method, path, serve }: Route): void {
    const isPage = key === 'page' || key === 'submit';
    const kit = this.publisher.ownKit(serve);
    if (kit === undefined) throw new TypeError('Approval routes are added after the capabilities’ own.');
    const plan = {
      key,
      method,
      path: `/${this.options.approvals!.path}${path}`,
      versions: [],
      mark: { route: undefined },
      module: home,
      transportGuards: [],
      decorators: isPage
        ? this.docs.operation(false, () => [])
        : this.docs.operation(true, APPROVAL_DOCS[key]),
    };
    // The page tells who is unknown by a page of its own.
    addHandler(controller, plan, isPage ? { ...kit, guards: [] } : kit);
  }
}
