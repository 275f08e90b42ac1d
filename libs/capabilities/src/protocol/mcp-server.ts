import { mapName } from '../contract/capability-name.js';
import type { CapabilityRunner } from '../execution/capability-runner.js';
import type { SingleUseStore } from '../execution/single-use-store.js';
import type { TaskStore } from '../execution/task-store.js';
import type { Clock } from '../kernel/clock.js';
import type { Principal } from '../kernel/principal.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import { servedParts } from './check-served.js';
import { CompletionCatalogue } from './completion-catalogue.js';
import { ModernResults, type ServerInfo } from './era-results.js';
import type { Challenge } from './governed-call.js';
import { SessionLogLevels } from './legacy-peer.js';
import { ListenHub } from './listen-hub.js';
import { PendingAnswers } from './pending-answers.js';
import { PromptCatalogue } from './prompt-catalogue.js';
import { RequestStates } from './request-state.js';
import { ResourceCatalogue } from './resource-catalogue.js';
import { Signer } from './signer.js';
import { ToolCatalogue } from './tool-catalogue.js';

/** Everything an endpoint needs, with every default applied. */
export interface McpServerOptions {
  readonly info: ServerInfo;
  readonly instructions: string | undefined;
  /** Tells endpoints apart where handles are bound. */
  readonly endpoint: string;
  /** The slice of the application that this endpoint serves. */
  readonly serves: (definition: CapabilityDefinition) => boolean;
  readonly outputSchema: boolean;
  readonly pageSize: number;
  /** How long lists and resources may be kept, milliseconds. */
  readonly ttlMs: number;
  readonly secret: string | undefined;
  /** Milliseconds for an answer to `input_required`. */
  readonly stateTtlMs: number;
  /** Milliseconds for an answer of a client of earlier revisions. */
  readonly answerTimeoutMs: number;
  readonly taskTtlMs: number;
  /** Lets principals decide on their own calls by a form in their client. */
  readonly approvalForms: boolean;
  /** Canonical URL of the endpoint, where it is known: links that are paths are told from there. */
  readonly publicUrl: string | undefined;
  readonly maxStreams: number;
}

export interface McpServerPorts {
  readonly runner: CapabilityRunner;
  readonly clock: Clock;
  readonly tasks: TaskStore;
  readonly singleUse: SingleUseStore;
  /** Challenges of the endpoint's authorization. */
  readonly challenge: Challenge;
  /** Told once about every fault that the caller only sees masked. */
  readonly onFault: (error: unknown) => void;
}

/** One endpoint's catalogues and state, built once when the application starts. */
export class McpServer {
  readonly tools: ToolCatalogue;
  readonly resources: ResourceCatalogue;
  readonly prompts: PromptCatalogue;
  readonly completions: CompletionCatalogue;
  readonly results: ModernResults;
  readonly signer: Signer;
  readonly states: RequestStates;
  readonly hub: ListenHub;
  readonly pending = new PendingAnswers();
  readonly logLevels = new SessionLogLevels();
  /** Capabilities that are not exposed here, by the names their tools would have: audit tells them from unknown ones. */
  private readonly unexposed: ReadonlyMap<string, string>;
  /** Runs of tasks in this process, by task id. */
  readonly running = new Map<string, AbortController>();

  /** Throws `TypeError` that names the capability whose MCP declaration cannot be served. */
  constructor(
    readonly options: McpServerOptions,
    readonly ports: McpServerPorts,
  ) {
    const hidden = ports.runner.registry.all().filter(({ expose }) => !expose.includes('mcp'));
    this.unexposed = new Map(hidden.map(({ name }) => [mapName(name), name]));
    const parts = servedParts(ports.runner.registry.exposedOn('mcp'), options.serves);
    const { pageSize, outputSchema } = options;
    this.tools = new ToolCatalogue(parts.tools, { outputSchema, pageSize });
    this.resources = new ResourceCatalogue(parts.resources, pageSize);
    this.prompts = new PromptCatalogue(parts.prompts, pageSize);
    this.completions = new CompletionCatalogue(parts.completions);
    this.results = new ModernResults(options.info);
    this.signer = new Signer(options.secret);
    this.states = new RequestStates(this.signer, ports.singleUse, ports.clock, options.stateTtlMs);
    this.hub = new ListenHub(options.maxStreams);
  }

  get runner(): CapabilityRunner {
    return this.ports.runner;
  }

  /** True when some tool can run as a task. */
  get hasTasks(): boolean {
    return this.tools.hasTasks;
  }

  /** What a caller may see. */
  async visible(principal: Principal): Promise<readonly CapabilityDefinition[]> {
    return this.runner.visible(principal, 'mcp');
  }

  /** True when the caller may see this one. */
  async sees(principal: Principal, definition: CapabilityDefinition): Promise<boolean> {
    return (await this.visible(principal)).includes(definition);
  }

  /** A name under which the pipeline serves nothing here, as close to the one asked for as possible. */
  unknownName(asked: string): string {
    const unexposed = this.unexposed.get(asked);
    if (unexposed !== undefined) return unexposed;
    const name = asked.slice(0, 128);
    return this.runner.registry.get(name) === undefined ? name : `${this.options.endpoint}#${name}`;
  }
}
