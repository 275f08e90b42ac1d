import {
  type DynamicModule,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { ApplicationConfig, ModuleRef, ModulesContainer } from '@nestjs/core';
import { SessionStepUp, StepUpVerifier } from '../approvals/step-up.js';
import { CapabilityStore } from '../execution/capability-store.js';
import { CapabilityRunner } from '../execution/capability-runner.js';
import { FaultLogger } from '../execution/fault-logger.js';
import type { PipelinePorts } from '../execution/pipeline-ports.js';
import { Clock } from '../kernel/clock.js';
import { PrincipalResolver } from '../policies/principal-resolver.js';
import { checkDefaults } from '../contract/check-declaration.js';
import type { DeclarationProblem } from '../contract/declaration-problem.js';
import { CapabilityExplorer } from '../registry/capability-explorer.js';
import { CapabilityRegistry } from '../registry/capability-registry.js';
import { checkApprovalSupport } from '../registry/check-approval-support.js';
import { type CatalogueEntry, checkCatalogue } from '../registry/check-catalogue.js';
import type {
  CapabilitiesModuleAsyncOptions,
  CapabilitiesModuleOptions,
  CapabilitiesPortOptions,
  CapabilitiesValueOptions,
} from './capabilities-options.js';
import { GOVERNANCE_EXPORTS, GOVERNANCE_PROVIDERS } from './governance-providers.js';
import { portProviders } from './port-providers.js';
import { createSchemaCompiler } from './schema-compiler-factory.js';
import { StoreKeeper } from './store-keeper.js';
import { sameOptions } from './same-options.js';
import { badPolicyTimeout, missingPolicy, repeatedModule, scopedPorts } from './startup-checks.js';
import { CAPABILITIES_OPTIONS, PIPELINE_PORTS } from './tokens.js';

/**
 * The registry and the pipeline of an application. Global; import it once, in the root module.
 * Surfaces are modules of their own.
 *
 * Booting rejects with `CapabilityDefinitionError`, which lists every problem of every capability.
 */
@Module({})
export class CapabilitiesModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly explorer: CapabilityExplorer,
    private readonly moduleRef: ModuleRef,
    modules: ModulesContainer,
  ) {
    explorer.addCheck(() => repeatedModule(CapabilitiesModule, modules));
    explorer.addCheck((_definitions, declarations) => checkPorts(declarations, moduleRef));
  }

  /** A second call with the same options is the same module. */
  static forRoot(options: CapabilitiesModuleOptions = {}): DynamicModule {
    const { defaults, transportGuards, policyTimeoutMs, supportContact, audit } = options;
    const values: CapabilitiesValueOptions = {
      defaults,
      transportGuards,
      policyTimeoutMs,
      supportContact,
      audit,
    };
    return joined(options, () => build(options, { provide: CAPABILITIES_OPTIONS, useValue: values }));
  }

  /** Like {@link forRoot}, with the options that are values made by a factory. */
  static forRootAsync(options: CapabilitiesModuleAsyncOptions): DynamicModule {
    const { inject = [], useFactory } = options;
    const values = {
      provide: CAPABILITIES_OPTIONS,
      useFactory: useFactory as () => unknown,
      inject: [...inject],
    };
    return joined(options, () => build(options, values));
  }

  /** Rejects when the store cannot be opened or a capability cannot start. */
  async onModuleInit(): Promise<void> {
    await this.explorer.seal();
    await this.moduleRef.get(StoreKeeper).open();
    this.moduleRef.get(CapabilityRunner).compose();
  }

  onApplicationShutdown(): void {
    this.moduleRef.get(StoreKeeper).close();
  }
}

const RUNNER: Provider = {
  provide: CapabilityRunner,
  inject: [CapabilityRegistry, PIPELINE_PORTS],
  useFactory: (registry: CapabilityRegistry, ports: PipelinePorts) => new CapabilityRunner(registry, ports),
};

const KEEPER: Provider = {
  provide: StoreKeeper,
  inject: [CapabilityStore, FaultLogger],
  useFactory: (store: CapabilityStore, logger: FaultLogger) => new StoreKeeper(store, logger),
};

/** Reads every declaration of the application. */
function explorerProvider(guards: NonNullable<CapabilitiesPortOptions['guards']>): Provider {
  return {
    provide: CapabilityExplorer,
    inject: [ModulesContainer, ApplicationConfig, ModuleRef, CapabilityRegistry, CAPABILITIES_OPTIONS],
    useFactory: async (
      modules: ModulesContainer,
      config: ApplicationConfig,
      moduleRef: ModuleRef,
      registry: CapabilityRegistry,
      { defaults, transportGuards = [] }: CapabilitiesValueOptions,
    ) =>
      new CapabilityExplorer(modules, config, moduleRef, registry, {
        compiler: await createSchemaCompiler(),
        defaults,
        guards,
        transportGuards,
      }),
  };
}

function build(options: CapabilitiesPortOptions, values: Provider): DynamicModule {
  const guards = options.guards ?? [];
  const explorer = explorerProvider(guards);
  return {
    module: CapabilitiesModule,
    global: true,
    imports: [...(options.imports ?? [])],
    providers: [
      values,
      CapabilityRegistry,
      explorer,
      RUNNER,
      KEEPER,
      ...guards,
      ...portProviders(options),
      ...GOVERNANCE_PROVIDERS,
    ],
    exports: [
      CapabilityRunner,
      CapabilityRegistry,
      CapabilityExplorer,
      PrincipalResolver,
      Clock,
      FaultLogger,
      PIPELINE_PORTS,
      CAPABILITIES_OPTIONS,
      ...GOVERNANCE_EXPORTS,
    ],
  };
}

interface Made {
  readonly options: object;
  readonly module: WeakRef<DynamicModule>;
}

/** Modules made so far and still in use. Nest treats one dynamic module object as one module. */
let made: readonly Made[] = [];

function joined(options: object, make: () => DynamicModule): DynamicModule {
  made = made.filter(({ module }) => module.deref() !== undefined);
  const known = made.find((entry) => sameOptions(entry.options, options))?.module.deref();
  if (known) return known;
  const module = make();
  made = [...made, { options, module: new WeakRef(module) }];
  return module;
}

function checkPorts(
  declarations: readonly CatalogueEntry[],
  moduleRef: ModuleRef,
): readonly DeclarationProblem[] {
  const scoped = scopedPorts(CapabilitiesModule, moduleRef);
  if (scoped.length > 0) return [...scoped, ...checkCatalogue(declarations)];
  const { policy, policies, policyTimeoutMs, principals, governance } =
    moduleRef.get<PipelinePorts>(PIPELINE_PORTS);
  const { defaults } = moduleRef.get<CapabilitiesValueOptions>(CAPABILITIES_OPTIONS);
  const support = {
    approvals: governance !== undefined,
    stepUp: !(moduleRef.get(StepUpVerifier) instanceof SessionStepUp),
    installed: moduleRef.get(CapabilityRegistry).installedSurfaces(),
    reload: principals?.reload !== undefined,
  };
  return [
    ...checkCatalogue(declarations, policies),
    ...checkApprovalSupport(declarations, support),
    ...badPolicyTimeout(CapabilitiesModule, policyTimeoutMs),
    ...checkDefaults(defaults ?? {}),
    ...missingPolicy(declarations, policy !== undefined),
  ];
}
