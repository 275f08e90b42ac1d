import { type DynamicModule, Inject, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ApprovalService } from '../../approvals/approval-service.js';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import { CapabilityStore } from '../../execution/capability-store.js';
import { CapabilityExplorer } from '../../registry/capability-explorer.js';
import { CapabilityRegistry } from '../../registry/capability-registry.js';
import {
  ASSISTANT_OPTIONS,
  type AssistantSurfaceOptions,
  type ConversationStoreProvider,
} from './assistant-options.js';
import { assistantProblems } from './assistant-problems.js';
import { AssistantService } from './assistant.service.js';
import { AssistantCalls } from './calls/assistant-calls.js';
import { ConversationStore } from '../../execution/conversation-store.js';
import { MemoryConversationStore } from './conversation/memory-conversation-store.js';
import { ToolCatalogue } from './tools/tool-catalogue.js';

/** Offers the capabilities exposed on `assistant` to models in this process. Global; import it once. */
@Module({})
export class AssistantSurfaceModule implements OnModuleInit {
  constructor(
    @Inject(CapabilityExplorer) private readonly explorer: CapabilityExplorer,
    @Inject(CapabilityRegistry) registry: CapabilityRegistry,
    @Inject(ConversationStore) private readonly conversations: ConversationStore,
    @Inject(ModulesContainer) modules: ModulesContainer,
    @Inject(ASSISTANT_OPTIONS) options: AssistantSurfaceOptions,
  ) {
    registry.install('assistant');
    const imports = [...modules.values()].filter(({ metatype }) => metatype === AssistantSurfaceModule);
    // Several imports are one problem, whoever comes first.
    if (imports[0]?.providers.get(ASSISTANT_OPTIONS)?.instance !== options) return;
    const { name } = AssistantSurfaceModule;
    explorer.addCheck((definitions) =>
      assistantProblems(name, { ...options, imported: imports.length }, definitions),
    );
  }

  static forRoot(options: AssistantSurfaceOptions = {}): DynamicModule {
    return {
      module: AssistantSurfaceModule,
      global: true,
      imports: [...(options.imports ?? [])],
      providers: [
        { provide: ASSISTANT_OPTIONS, useValue: options },
        catalogue,
        storeProvider(options.store),
        calls,
        AssistantService,
      ],
      exports: [AssistantService],
    };
  }

  async onModuleInit(): Promise<void> {
    await this.explorer.seal();
    await this.conversations.open();
  }
}

const catalogue: Provider = {
  provide: ToolCatalogue,
  inject: [CapabilityRegistry],
  useFactory: (registry: CapabilityRegistry) => new ToolCatalogue(registry),
};

/** A class, or a provider without its token. */
function storeProvider(store: ConversationStoreProvider = MemoryConversationStore): Provider {
  if (typeof store === 'function') return { provide: ConversationStore, useClass: store };
  return { provide: ConversationStore, ...store } as Provider;
}

const calls: Provider = {
  provide: AssistantCalls,
  inject: [CapabilityRunner, ToolCatalogue, CapabilityStore, ApprovalService, ConversationStore],
  useFactory: (
    runner: CapabilityRunner,
    tools: ToolCatalogue,
    store: CapabilityStore,
    approvals: ApprovalService,
    kept: ConversationStore,
  ) => new AssistantCalls(runner, tools, store, approvals, kept),
};
