import { type DynamicModule, Inject, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApprovalService } from '../../approvals/approval-service.js';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import { CapabilityStore } from '../../execution/capability-store.js';
import { CapabilityExplorer } from '../../registry/capability-explorer.js';
import { CapabilityRegistry } from '../../registry/capability-registry.js';
import { ASSISTANT_OPTIONS, type AssistantSurfaceOptions } from './assistant-options.js';
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
    @Inject(ASSISTANT_OPTIONS) options: AssistantSurfaceOptions,
  ) {
    registry.install('assistant');
    explorer.addCheck((definitions) => assistantProblems(AssistantSurfaceModule.name, options, definitions));
  }

  static forRoot(options: AssistantSurfaceOptions = {}): DynamicModule {
    return {
      module: AssistantSurfaceModule,
      global: true,
      providers: [
        { provide: ASSISTANT_OPTIONS, useValue: options },
        catalogue,
        conversations,
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

const conversations: Provider = {
  provide: ConversationStore,
  inject: [ASSISTANT_OPTIONS, ModuleRef],
  useFactory: ({ store }: AssistantSurfaceOptions, moduleRef: ModuleRef): ConversationStore => {
    if (store === undefined) return new MemoryConversationStore();
    return store instanceof ConversationStore
      ? store
      : moduleRef.get<ConversationStore>(store, { strict: false });
  },
};

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
