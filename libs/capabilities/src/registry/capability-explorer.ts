import { type ApplicationConfig, ModuleRef, type ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Module } from '@nestjs/core/injector/module.js';
import { CapabilityDefinitionError } from '../contract/capability-definition-error.js';
import { checkHost } from '../contract/check-declaration.js';
import type { DeclarationProblem } from '../contract/declaration-problem.js';
import { bindCapability, targetOf } from './bind-host.js';
import type { CapabilityDefinition } from './capability-definition.js';
import { type HostClass, hostOptions } from './capability-metadata.js';
import type { CapabilityRegistry } from './capability-registry.js';
import type { CatalogueEntry } from './check-catalogue.js';
import { type DeclaredCapability, type DeclareOptions, declareHost } from './declare-host.js';
import { type GuardOptions, HandlerBinder } from './nest-handler/handler-binder.js';
import { methodEnhancers } from './nest-handler/method-enhancers.js';
import { NestInjector } from './nest-handler/nest-injector.js';
import {
  declaresTheSame,
  type RepeatedHost,
  repeatedHosts,
  type ScannedHost,
  scanHosts,
} from './scan-hosts.js';

/** A well-formed capability and where Nest holds its host. */
export interface DiscoveredCapability {
  readonly definition: CapabilityDefinition;
  readonly hostClass: HostClass;
  readonly methodName: string;
  /** The module that provides the host. */
  readonly moduleRef: Module;
  readonly wrapper: InstanceWrapper;
}

/** A startup check over the whole catalogue: what is well formed, and everything as declared. */
export type CatalogueCheck = (
  definitions: readonly CapabilityDefinition[],
  declarations: readonly CatalogueEntry[],
) => readonly DeclarationProblem[];

export interface CapabilityExplorerOptions extends DeclareOptions, GuardOptions {}

interface DeclaredHost {
  readonly host: ScannedHost;
  readonly capabilities: readonly DeclaredCapability[];
}

/**
 * Finds the capabilities of an application; the only user of Nest's containers. Modules may
 * ask for what is well formed while they are constructed; module init checks everything at once.
 */
export class CapabilityExplorer {
  private readonly declared = new Map<HostClass, readonly DeclaredCapability[]>();
  private readonly checks: CatalogueCheck[] = [];
  private readonly injector: NestInjector;
  private sealing: Promise<void> | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: ApplicationConfig,
    private readonly moduleRef: ModuleRef,
    private readonly registry: CapabilityRegistry,
    private readonly options: CapabilityExplorerOptions,
  ) {
    this.injector = new NestInjector(moduleRef);
  }

  /**
   * The well-formed capabilities whose hosts are known so far, for surfaces that generate routes in their
   * module's constructor. Never throws. The same definitions are handed out every time.
   */
  discover(): readonly DiscoveredCapability[] {
    const hosts = this.hosts();
    if (this.sealing === undefined) for (const host of hosts) this.registerEnhancers(host);
    return hosts.flatMap(({ host, capabilities }) =>
      capabilities.flatMap(({ definition, place }) =>
        definition ? [Object.freeze(discovered(host, definition, place.methodName))] : [],
      ),
    );
  }

  /**
   * Adds a startup check, from the constructor of a surface's module.
   *
   * @throws TypeError once module init has begun: the check would never run.
   */
  addCheck(check: CatalogueCheck): void {
    if (this.sealing)
      throw new TypeError('Add startup checks in the constructor of a module, before module init.');
    this.checks.push(check);
  }

  /**
   * Checks every capability, binds its host and enhancers, and seals the registry. Idempotent.
   *
   * @throws CapabilityDefinitionError (rejects) that lists every problem.
   */
  seal(): Promise<void> {
    return (this.sealing ??= this.sealOnce());
  }

  private async sealOnce(): Promise<void> {
    const hosts = this.hosts();
    const all = hosts.flatMap(({ capabilities }) => capabilities);
    const definitions = all.flatMap(({ definition }) => (definition ? [definition] : []));
    const declarations = all.map(({ entry }) => entry);
    const problems = [
      ...all.flatMap((capability) => capability.problems),
      ...hosts.flatMap(({ host: { hostClass } }) => checkHost(hostOptions(hostClass) ?? {}, hostClass.name)),
      ...hosts.flatMap(differing),
      ...repeatedHosts(scanHosts(this.modules)).flatMap((repeated) => this.repeated(repeated)),
      ...(await this.bind(hosts)),
      ...this.checks.flatMap((check) => check(definitions, declarations)),
    ];
    if (problems.length > 0) throw new CapabilityDefinitionError(problems);
    this.registry.seal(definitions);
  }

  /** One entry per host class: a class provided twice is reported by {@link sealOnce}. */
  private hosts(): readonly DeclaredHost[] {
    const hosts = new Map<HostClass, ScannedHost>();
    for (const host of scanHosts(this.modules))
      if (!hosts.has(host.hostClass)) hosts.set(host.hostClass, host);
    return [...hosts.values()].map((host) => ({ host, capabilities: this.declare(host) }));
  }

  private declare(host: ScannedHost): readonly DeclaredCapability[] {
    const known = this.declared.get(host.hostClass);
    if (known) return known;
    const capabilities = declareHost(host, this.options);
    this.declared.set(host.hostClass, capabilities);
    return capabilities;
  }

  /** Early enough for Nest to make them together with everything else. */
  private registerEnhancers({ host, capabilities }: DeclaredHost): void {
    for (const capability of capabilities) {
      const target = targetOf(host, capability);
      const { guards, interceptors } = target ? methodEnhancers(target) : { guards: [], interceptors: [] };
      this.injector.register(guards, 'guard', host.moduleRef);
      this.injector.register(interceptors, 'interceptor', host.moduleRef);
    }
  }

  private async bind(hosts: readonly DeclaredHost[]): Promise<readonly DeclarationProblem[]> {
    const home = [...this.modules.values()].find(
      (module) => module.providers.get(ModuleRef)?.instance === this.moduleRef,
    );
    const binder = new HandlerBinder(this.injector, this.config, this.options, home!);
    const problems: DeclarationProblem[] = [];
    for (const { host, capabilities } of hosts) {
      for (const capability of capabilities)
        problems.push(...(await bindCapability(host, capability, binder)));
    }
    return problems;
  }

  private repeated({ hostClass, registrations }: RepeatedHost): readonly DeclarationProblem[] {
    const modules = registrations.map(({ moduleRef }) => moduleRef.name).join(' and ');
    return (this.declared.get(hostClass) ?? []).map(({ place }) => ({
      ...place,
      code: 'HOST_REPEATED',
      problem: `${hostClass.name} is provided ${registrations.length} times, as different instances, by ${modules}`,
      remedy:
        'Provide it in one module, export it there and import that module; use useExisting for further tokens',
    }));
  }
}

function discovered(
  { hostClass, moduleRef, wrapper }: ScannedHost,
  definition: CapabilityDefinition,
  methodName: string,
): DiscoveredCapability {
  return { definition, hostClass, methodName, moduleRef, wrapper };
}

function differing({ host, capabilities }: DeclaredHost): readonly DeclarationProblem[] {
  if (declaresTheSame(host)) return [];
  return capabilities.map(({ place }) => ({
    ...place,
    code: 'HOST_INVALID',
    problem: `the provider ${host.hostClass.name} hands over a ${host.instanceClass.name}, which declares other capabilities`,
    remedy: `Provide ${host.instanceClass.name} under its own class`,
  }));
}
