import { type DynamicModule, Inject, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { Module as ContainedModule } from '@nestjs/core/injector/module.js';
import type { DeclarationProblem, DeclarationProblemCode } from '../../contract/declaration-problem.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import { PrincipalResolver } from '../../policies/principal-resolver.js';
import { CapabilityExplorer } from '../../registry/capability-explorer.js';
import { ApprovalActions } from './approvals/approval-actions.js';
import { ApprovalEndpoint } from './approvals/approval-endpoint.js';
import { ApprovalRoutes } from './approvals/approval-routes.js';
import { ApprovalUrls } from './approvals/approval-urls.js';
import { DecisionPageEndpoint } from './approvals/page/decision-page-endpoint.js';
import { FormTokens } from './approvals/page/form-tokens.js';
import { requiredApprovalProblems } from './approvals/require-approval/check-required-approvals.js';
import { BodyReader } from './body/body-reader.js';
import { PermissionGuard } from './guards/permission.guard.js';
import { PrincipalGuard } from './guards/principal.guard.js';
import { operationDocsProvider } from './openapi/operation-docs.js';
import { isLiteralPath } from './literal-path.js';
import { RestCalls } from './rest-calls.js';
import { RestEndpoint } from './rest-endpoint.js';
import {
  REST_OPTIONS,
  type ResolvedRestOptions,
  resolveRestOptions,
  restOptionsProblems,
  sameRestOptions,
  type RestSurfaceOptions,
} from './rest-options.js';
import { duplicateRoutes, routeMissing, shadowingRoutes } from './routes/route-problems.js';
import { RoutePublisher } from './routes/route-publisher.js';

/**
 * Serves every capability exposed on `rest`. Global; import it once, beside `CapabilitiesModule`.
 * Its routes exist as soon as modules are constructed, so that `SwaggerModule.createDocument` sees them.
 */
@Module({})
export class RestSurfaceModule implements NestModule, OnModuleInit {
  private readonly bodies: BodyReader;
  /** False for a second import with the same options: the first one serves. */
  private readonly serves: boolean;

  constructor(
    @Inject(CapabilityExplorer) private readonly explorer: CapabilityExplorer,
    @Inject(RoutePublisher) private readonly publisher: RoutePublisher,
    @Inject(ApprovalRoutes) approvals: ApprovalRoutes,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(HttpAdapterHost) adapterHost: HttpAdapterHost,
    @Inject(PrincipalResolver) principals: PrincipalResolver<unknown>,
    @Inject(REST_OPTIONS) private readonly options: ResolvedRestOptions,
  ) {
    this.bodies = new BodyReader(adapterHost, options.bodyLimit);
    this.serves = !serving.has(modules);
    if (!this.serves) return;
    serving.add(modules);
    explorer.addCheck((definitions) => this.problems(definitions));
    explorer.addCheck(() => requiredApprovalProblems(modules, principals));
    const [home] = this.imports();
    if (home === undefined || !isLiteralPath(options.path)) return;
    publisher.publish(home);
    approvals.publish(home);
    if (this.optionProblems().length > 0) return;
    adapterHost.init$.subscribe(() => this.bodies.onAdapter());
  }

  /** Every handler it generates takes the application's `decorators`. */
  static forRoot(options: RestSurfaceOptions = {}): DynamicModule {
    return {
      module: RestSurfaceModule,
      global: true,
      providers: [
        { provide: REST_OPTIONS, useValue: resolveRestOptions(options) },
        { provide: PrincipalGuard, useClass: options.principalGuard ?? PrincipalGuard },
        { provide: PermissionGuard, useClass: options.permissionGuard ?? PermissionGuard },
        operationDocsProvider,
        RestCalls,
        RestEndpoint,
        RoutePublisher,
        ...APPROVAL_PROVIDERS,
      ],
      exports: [PrincipalGuard, PermissionGuard, RestCalls],
    };
  }

  /** Nest asks for middleware when the application is configured, before it fills the router. */
  configure(): void {
    if (this.serves) this.publisher.publishCatchAll();
  }

  async onModuleInit(): Promise<void> {
    await this.explorer.seal();
    if (!this.serves) return;
    await this.publisher.resolveEnhancers();
    this.bodies.onModuleInit();
  }

  private problems(definitions: readonly CapabilityDefinition[]): readonly DeclarationProblem[] {
    const options = this.optionProblems();
    if (!isLiteralPath(this.options.path)) return options;
    const { routes, clashes, shadows } = this.publisher;
    const leftOut = [...clashes.map(({ route }) => route), ...shadows];
    const known = new Set([...routes.keys(), ...leftOut.map(({ definition }) => definition)]);
    const unrouted = definitions.filter((each) => each.expose.includes('rest') && !known.has(each));
    const taken = [...duplicateRoutes(clashes), ...shadowingRoutes(shadows)];
    return [...options, ...unrouted.map(routeMissing), ...taken];
  }

  private optionProblems(): readonly DeclarationProblem[] {
    const own = restOptionsProblems(this.options).map(({ problem, remedy }) =>
      ownProblem('OPTION_INVALID', problem, remedy),
    );
    const others = this.imports().map(
      (module) => module.providers.get(REST_OPTIONS)?.instance as ResolvedRestOptions,
    );
    if (others.every((other) => sameRestOptions(this.options, other))) return own;
    const repeated = 'it is imported several times with different options';
    return [
      ...own,
      ownProblem('MODULE_REPEATED', repeated, 'Import it once in the root module (it is global)'),
    ];
  }

  /** Where this module stands in the container, once for each import. */
  private imports(): readonly ContainedModule[] {
    return [...this.modules.values()].filter(({ metatype }) => metatype === RestSurfaceModule);
  }
}

const APPROVAL_PROVIDERS = [
  ApprovalUrls,
  ApprovalActions,
  ApprovalEndpoint,
  ApprovalRoutes,
  DecisionPageEndpoint,
  FormTokens,
];

/** Applications whose routes were published. */
const serving = new WeakSet<ModulesContainer>();

const ownProblem = (code: DeclarationProblemCode, problem: string, remedy: string): DeclarationProblem => {
  const name = RestSurfaceModule.name;
  return { capability: name, className: name, methodName: '', code, problem, remedy };
};
