import {
  type DynamicModule,
  Inject,
  type InjectionToken,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import {
  type AbstractHttpAdapter,
  ApplicationConfig,
  HttpAdapterHost,
  ModuleRef,
  ModulesContainer,
} from '@nestjs/core';
import type { DeclarationProblem } from '../../contract/declaration-problem.js';
import { describeFault } from '../../errors/describe-fault.js';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import { FaultLogger } from '../../execution/fault-logger.js';
import { SingleUseStore } from '../../execution/single-use-store.js';
import { TaskStore } from '../../execution/task-store.js';
import { Clock } from '../../kernel/clock.js';
import { executionId } from '../../kernel/ids.js';
import { PrincipalResolver } from '../../policies/principal-resolver.js';
import { servedParts, servedProblems } from '../../protocol/check-served.js';
import { McpDispatcher } from '../../protocol/mcp-dispatcher.js';
import { MemorySingleUseStore } from '../../protocol/memory-single-use-store.js';
import { MemoryTaskStore } from '../../protocol/tasks/memory-task-store.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import { CapabilityExplorer } from '../../registry/capability-explorer.js';
import { AdapterRoutes } from './http/adapter-routes.js';
import { Challenges } from './http/challenges.js';
import { McpHttpEndpoint } from './http/mcp-http-endpoint.js';
import { metadataPath, resourceMetadata, WELL_KNOWN } from './http/resource-metadata.js';
import { mcpOptionProblems } from './mcp-option-problems.js';
import { joinEndpoints, McpNotifier } from './mcp-notifier.js';
import {
  MCP_OPTIONS,
  type McpSurfaceOptions,
  resolveMcpOptions,
  type ResolvedMcpOptions,
} from './mcp-options.js';
import { serverOptions, servesSlice } from './server-options.js';

/**
 * Serves the capabilities exposed on `mcp` at one endpoint, in both protocol eras. Import it once for each
 * endpoint, beside `CapabilitiesModule`.
 */
@Module({})
export class McpSurfaceModule implements OnModuleInit, OnModuleDestroy {
  private routes: AdapterRoutes | undefined;
  private dispatcher: McpDispatcher | undefined;

  constructor(
    @Inject(MCP_OPTIONS) private readonly options: ResolvedMcpOptions,
    @Inject(CapabilityExplorer) private readonly explorer: CapabilityExplorer,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(HttpAdapterHost) adapterHost: HttpAdapterHost,
  ) {
    explorer.addCheck((definitions) => this.problems(definitions));
    adapterHost.init$.subscribe(() => {
      // An application context without HTTP has none; its endpoint is served by other transports.
      const adapter = adapterHost.httpAdapter as AbstractHttpAdapter | null;
      if (adapter === null) return;
      this.routes = new AdapterRoutes(adapter);
      this.routes.captureBodies();
    });
  }

  /** One endpoint. Import the module several times, under several paths, for several slices. */
  static forRoot(options: McpSurfaceOptions): DynamicModule {
    return {
      module: McpSurfaceModule,
      global: true,
      providers: [{ provide: MCP_OPTIONS, useValue: resolveMcpOptions(options) }, McpNotifier],
      exports: [McpNotifier],
    };
  }

  async onModuleInit(): Promise<void> {
    await this.explorer.seal();
    const { options } = this;
    const challenges = new Challenges(options.authorization);
    const onFault = (error: unknown): void => this.report(error);
    const clock = this.get(Clock);
    const tasks = this.store(options.taskStore, TaskStore, () => new MemoryTaskStore(clock));
    const singleUse = this.store(
      options.singleUseStore,
      SingleUseStore,
      () => new MemorySingleUseStore(clock),
    );
    await Promise.all([tasks.open(), singleUse.open()]);
    const dispatcher = new McpDispatcher(serverOptions(options), {
      runner: this.get(CapabilityRunner),
      clock,
      tasks,
      singleUse,
      challenge: challenges.forRefusal,
      onFault,
    });
    this.dispatcher = dispatcher;
    joinEndpoints(this.modules, dispatcher);
    const endpoint = new McpHttpEndpoint(
      options,
      dispatcher,
      this.get(PrincipalResolver),
      challenges,
      onFault,
    );
    this.publish(endpoint);
  }

  /** Before the server waits for its connections: listen streams are ended in order. */
  onModuleDestroy(): void {
    this.dispatcher?.close();
  }

  /** The dispatcher of this endpoint, once the module is initialised. For transports other than HTTP. */
  get endpoint(): McpDispatcher {
    if (this.dispatcher === undefined)
      throw new TypeError('The MCP endpoint exists once the application is initialised.');
    return this.dispatcher;
  }

  private publish(endpoint: McpHttpEndpoint): void {
    const { options, routes } = this;
    if (routes === undefined) return;
    const prefix = this.config.getGlobalPrefix().replaceAll(/^\/+|\/+$/g, '');
    const path = `/${[prefix, options.path].filter((part) => part !== '').join('/')}`;
    routes.endpoint(path, options.bodyLimit, (raw, response, request) =>
      endpoint.serve(raw, response, request),
    );
    this.publishMetadata(routes);
  }

  /** At the well-known place of the resource, and at the root unless an earlier endpoint has it. */
  private publishMetadata(routes: AdapterRoutes): void {
    const { authorization, info } = this.options;
    if (authorization === undefined) return;
    const body = resourceMetadata(authorization, info.title ?? info.name);
    const taken = metadataPaths.get(this.modules) ?? new Set<string>();
    metadataPaths.set(this.modules, taken);
    for (const path of [metadataPath(authorization.resource), WELL_KNOWN]) {
      if (taken.has(path)) continue;
      taken.add(path);
      routes.document(path, (_raw, response) => {
        response
          .writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
          .end(body);
      });
    }
  }

  private store<T>(given: unknown, type: abstract new () => T, fallback: () => T): T {
    if (given === undefined) return fallback();
    return given instanceof type ? given : this.get<T>(given as InjectionToken<T>);
  }

  private get<T>(token: InjectionToken<T>): T {
    return this.moduleRef.get<T>(token, { strict: false });
  }

  private report(error: unknown): void {
    const detail = { referenceId: executionId(), capability: this.options.path, error: describeFault(error) };
    this.get<FaultLogger>(FaultLogger).error('The MCP surface failed', detail);
  }

  private problems(definitions: readonly CapabilityDefinition[]): readonly DeclarationProblem[] {
    const { options } = this;
    const own = mcpOptionProblems(options).map(({ problem, remedy }) => ownProblem(problem, remedy));
    const served = servedProblems(servedParts(definitions, servesSlice(options.expose)));
    const declared = served.map((problem) =>
      ownProblem(problem.replace(/\.$/, ''), 'Correct the declaration'),
    );
    const twins = [...this.modules.values()].filter(({ metatype, providers }) => {
      const other =
        metatype === McpSurfaceModule
          ? (providers.get(MCP_OPTIONS)?.instance as ResolvedMcpOptions)
          : undefined;
      return other !== undefined && other !== options && other.path === options.path;
    });
    const repeated = twins.map(() =>
      ownProblem(`two endpoints have the path /${options.path}`, 'Give each endpoint a path of its own'),
    );
    return [...own, ...declared, ...repeated];
  }
}

/** Well-known paths already served, by application. */
const metadataPaths = new WeakMap<ModulesContainer, Set<string>>();

function ownProblem(problem: string, remedy: string): DeclarationProblem {
  const name = McpSurfaceModule.name;
  return { capability: name, className: name, methodName: '', code: 'MCP_INVALID', problem, remedy };
}
