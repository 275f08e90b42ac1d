import { renderSummary, summarizeCatalogue } from '../../../catalogue/catalogue-summary.js';
import { catalogueTool, type CatalogueTool } from '../../../catalogue/catalogue-tool.js';
import { searchTools, type SearchPage, type SearchRequest } from '../../../catalogue/search-tools.js';
import type { CapabilityRunner } from '../../../execution/capability-runner.js';
import type { Outcome } from '../../../execution/outcome.js';
import type { Principal } from '../../../kernel/principal.js';
import type { CapabilityDefinition } from '../../../registry/capability-definition.js';
import { isReadOnly } from '../../../registry/capability-definition.js';

/** The caller behind a program and how its calls are tied together. */
export interface ProgramCaller {
  readonly principal: Principal;
  /** Execution id of the call that runs the program. */
  readonly correlationId: string;
}

/** A search page, and for an empty query from the start an overview of the catalogue. */
export interface CodeModePage extends SearchPage {
  readonly catalogue?: string;
}

/** The capabilities that one principal's program may call, found when it starts. */
export class ProgramTools {
  readonly tools: readonly CatalogueTool[];

  constructor(
    private readonly runner: CapabilityRunner,
    private readonly isOffered: (definition: CapabilityDefinition) => boolean,
    visible: readonly CapabilityDefinition[],
    /** Estimated tokens of declarations in an overview. */
    private readonly budget: number,
  ) {
    this.tools = visible.map(catalogueTool);
  }

  get names(): readonly string[] {
    return this.tools.map(({ name }) => name);
  }

  search(request: SearchRequest): CodeModePage {
    const page = searchTools(this.tools, request);
    const first = (request.query ?? '').trim() === '' && page.offset === 0;
    return first ? { ...page, catalogue: this.overview() } : page;
  }

  /** Counts of everything as text, and as many declarations as the budget allows. */
  overview(): string {
    return renderSummary(summarizeCatalogue(this.tools, this.budget));
  }

  /** True when the program may try: the pipeline decides. What is left out looks like a name that does not exist. */
  has(name: string): boolean {
    const definition = this.runner.registry.get(name);
    return definition === undefined || this.isOffered(definition);
  }

  /** True unless the call is known to change nothing. */
  mayAct(name: string): boolean {
    const definition = this.runner.registry.get(name);
    return definition !== undefined && !isReadOnly(definition);
  }

  /** Runs a call through the pipeline. */
  execute(
    name: string,
    input: unknown,
    { principal, correlationId }: ProgramCaller,
    signal: AbortSignal,
  ): Promise<Outcome> {
    return this.runner.execute(name, input, { principal, surface: 'code-mode', correlationId, signal });
  }

  /** Runs what an approval stands for, or tells what became of it; nothing runs twice. */
  async resume(approvalId: string, { principal }: ProgramCaller, signal: AbortSignal): Promise<Outcome> {
    const options = { principal, surface: 'code-mode', signal } as const;
    const outcome = await this.runner.executeApproval(approvalId, options);
    const consumed = outcome.status === 'failed' && outcome.error.reason === 'CONSUMED';
    return consumed ? this.runner.approvalOutcome(approvalId, options) : outcome;
  }
}
