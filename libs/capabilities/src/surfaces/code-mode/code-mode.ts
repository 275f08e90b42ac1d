import { resolveBudget } from '../../catalogue/catalogue-summary.js';
import { printDeclarations } from '../../catalogue/print-declarations.js';
import type { SearchRequest } from '../../catalogue/search-tools.js';
import type { CapabilityRunner } from '../../execution/capability-runner.js';
import type { Principal } from '../../kernel/principal.js';
import { type CapabilityDefinition, isReadOnly } from '../../registry/capability-definition.js';
import type { ResolvedCodeModeOptions } from './code-mode-options.js';
import type { ProgramResult, ProgramRunner } from './program/program-runner.js';
import { type CodeModePage, ProgramTools } from './program/program-tools.js';

/** Who runs a program, and how it is cancelled and traced. */
export interface RunProgramOptions {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Ties the program's calls together in the audit. */
  readonly correlationId: string;
}

/** Code mode of one application: what a principal's programs may call, and running them. Injectable. */
export class CodeMode {
  constructor(
    private readonly runner: CapabilityRunner,
    private readonly programs: ProgramRunner,
    private readonly options: ResolvedCodeModeOptions,
  ) {}

  /** One page of the tools that a principal's programs may call. */
  async search(principal: Principal, request: SearchRequest = {}): Promise<CodeModePage> {
    return (await this.toolsOf(principal)).search(request);
  }

  /** The overview of a principal's tools, as text: counts, and as many declarations as the budget allows. */
  async overview(principal: Principal): Promise<string> {
    return (await this.toolsOf(principal)).overview();
  }

  /** TypeScript declarations of every tool of a principal. */
  async declarations(principal: Principal): Promise<string> {
    return printDeclarations((await this.toolsOf(principal)).tools);
  }

  /**
   * Runs a program: the body of an async function with `tools` and `console`. Whatever goes wrong inside is told
   * by the result's `diagnostic`. Rejects with `CapabilityError` UNAVAILABLE, IN_PROGRESS or CANCELLED.
   */
  async run(code: string, { principal, signal, correlationId }: RunProgramOptions): Promise<ProgramResult> {
    const tools = await this.toolsOf(principal);
    return this.programs.run({ code, tools, caller: { principal, correlationId }, signal });
  }

  private async toolsOf(principal: Principal): Promise<ProgramTools> {
    const visible = await this.runner.visible(principal, 'code-mode');
    const isOffered = (definition: CapabilityDefinition): boolean => this.isOffered(definition);
    const budget = resolveBudget(this.options.catalogue);
    return new ProgramTools(this.runner, isOffered, visible.filter(isOffered), budget);
  }

  private isOffered(definition: CapabilityDefinition): boolean {
    const { exclude, filter, readOnly } = this.options;
    if (definition.discovery === 'contextual' || exclude.includes(definition.name)) return false;
    return (!readOnly || isReadOnly(definition)) && filter(definition);
  }
}
