import {
  type Abstract,
  type DynamicModule,
  Inject,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import type { DeclarationProblem } from '../../contract/declaration-problem.js';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import { Clock } from '../../kernel/clock.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import { CapabilityExplorer } from '../../registry/capability-explorer.js';
import { CapabilityRegistry } from '../../registry/capability-registry.js';
import { CodeMode } from './code-mode.js';
import { codeModeHost, declarationsHost } from './code-mode-host.js';
import {
  codeModeProblems,
  type CodeModeValueOptions,
  type ResolvedCodeModeOptions,
  resolveCodeModeOptions,
} from './code-mode-options.js';
import { MemoryProgramStore } from './program/memory-program-store.js';
import { ProgramRunner } from './program/program-runner.js';
import { ProgramStore } from './program/program-store.js';
import { QuickJsSandbox } from './sandbox/quickjs-sandbox.js';
import { Sandbox } from './sandbox/sandbox.js';

/** Options of `CodeModeModule.forRoot`. */
export interface CodeModeModuleOptions extends CodeModeValueOptions {
  /** Modules whose exports the sandbox and the store inject. */
  readonly imports?: ModuleMetadata['imports'];
  /** Where programs run: a sandbox, or the token of a provider. Default: QuickJS on a worker thread, through the package `run`. */
  readonly sandbox?: Sandbox | InjectionToken<Sandbox>;
  /** Where programs that wait are kept: a store, or the token of a provider. Default: in memory, gone with the process. */
  readonly store?: ProgramStore | InjectionToken<ProgramStore>;
}

const OPTIONS = Symbol.for('nest-capabilities.code-mode.Options');

/**
 * Code mode: the capabilities `search` and `execute`, served by the surfaces named in `expose`. A program calls
 * what is exposed on `code-mode` and visible to its principal; every call runs the whole pipeline as that principal.
 */
@Module({})
export class CodeModeModule implements OnModuleInit {
  constructor(
    @Inject(CapabilityExplorer) private readonly explorer: CapabilityExplorer,
    @Inject(Sandbox) private readonly sandbox: Sandbox,
    @Inject(ProgramStore) private readonly store: ProgramStore,
    @Inject(OPTIONS) private readonly options: ResolvedCodeModeOptions,
    @Inject(CapabilityRegistry) registry: CapabilityRegistry,
  ) {
    registry.install('code-mode');
    explorer.addCheck((definitions) => this.problems(definitions));
  }

  static forRoot(options: CodeModeModuleOptions): DynamicModule {
    const resolved = resolveCodeModeOptions(options);
    const hosts = [
      codeModeHost(resolved),
      ...(resolved.expose.includes('mcp') ? [declarationsHost(resolved)] : []),
    ];
    return {
      module: CodeModeModule,
      global: true,
      imports: [...(options.imports ?? [])],
      providers: [
        { provide: OPTIONS, useValue: resolved },
        port(Sandbox, options.sandbox ?? new QuickJsSandbox()),
        port(ProgramStore, options.store ?? new MemoryProgramStore()),
        programRunner,
        codeMode,
        ...hosts,
      ],
      exports: [CodeMode],
    };
  }

  async onModuleInit(): Promise<void> {
    await this.explorer.seal();
    await Promise.all([this.sandbox.open(), this.store.open()]);
  }

  private problems(definitions: readonly CapabilityDefinition[]): readonly DeclarationProblem[] {
    const names = new Set(definitions.map(({ name }) => name));
    const name = CodeModeModule.name;
    return codeModeProblems(this.options, names).map((problem) => ({
      capability: name,
      className: name,
      methodName: '',
      code: 'OPTION_INVALID',
      ...problem,
    }));
  }
}

/** A port given as an instance, or by the token of a provider. */
function port<T extends object>(type: Abstract<T>, given: T | InjectionToken<T>): Provider {
  return given instanceof type
    ? { provide: type, useValue: given }
    : { provide: type, useExisting: given as InjectionToken<T> };
}

const programRunner: Provider = {
  provide: ProgramRunner,
  inject: [Sandbox, ProgramStore, Clock, OPTIONS],
  useFactory: (sandbox: Sandbox, store: ProgramStore, clock: Clock, options: ResolvedCodeModeOptions) =>
    new ProgramRunner(sandbox, store, clock, {
      limits: options.limits,
      programs: options.programs,
      keepMs: options.resumeWithin,
    }),
};

const codeMode: Provider = {
  provide: CodeMode,
  inject: [CapabilityRunner, ProgramRunner, OPTIONS],
  useFactory: (runner: CapabilityRunner, programs: ProgramRunner, options: ResolvedCodeModeOptions) =>
    new CodeMode(runner, programs, options),
};
