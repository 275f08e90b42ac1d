import { Inject, Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { McpDispatcher } from '../../protocol/mcp-dispatcher.js';
import type { ListenEvent } from '../../protocol/listen-hub.js';

/** The endpoints of each application. */
const endpoints = new WeakMap<ModulesContainer, Set<McpDispatcher>>();

/** Makes an endpoint hear what its application announces. */
export function joinEndpoints(modules: ModulesContainer, dispatcher: McpDispatcher): void {
  const joined = endpoints.get(modules) ?? new Set();
  endpoints.set(modules, joined.add(dispatcher));
}

/** Announces changes to clients that listen, on every MCP endpoint of this process. */
@Injectable()
export class McpNotifier {
  constructor(@Inject(ModulesContainer) private readonly modules: ModulesContainer) {}

  /** Some caller's list of tools may have changed. */
  toolsChanged(): Promise<void> {
    return this.publish({ kind: 'tools' });
  }

  promptsChanged(): Promise<void> {
    return this.publish({ kind: 'prompts' });
  }

  resourcesChanged(): Promise<void> {
    return this.publish({ kind: 'resources' });
  }

  /** The contents behind a subscribable URI changed. */
  resourceUpdated(uri: string): Promise<void> {
    return this.publish({ kind: 'resource', uri });
  }

  private async publish(event: ListenEvent): Promise<void> {
    const joined = endpoints.get(this.modules) ?? [];
    await Promise.all([...joined].map(({ server }) => server.hub.publish(event)));
  }
}
