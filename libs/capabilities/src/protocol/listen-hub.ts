import type { RequestId } from './json-rpc.js';

/** What a listener asked for and gets. */
export interface ListenFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** One open `subscriptions/listen` stream. */
export interface Listener {
  readonly owner: string;
  readonly id: RequestId;
  readonly filter: ListenFilter;
  /** Asked again before each resource update: rights may have gone. */
  readonly mayRead: (uri: string) => Promise<boolean>;
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  /** Ends the stream with its closing result. */
  close(): void;
}

/** What the application announces. */
export type ListenEvent =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }
  | {
      readonly kind: 'task';
      readonly owner: string;
      readonly taskId: string;
      readonly task: Readonly<Record<string, unknown>>;
    };

const LIST_CHANGED = Object.freeze({
  tools: { member: 'toolsListChanged', method: 'notifications/tools/list_changed' },
  prompts: { member: 'promptsListChanged', method: 'notifications/prompts/list_changed' },
  resources: { member: 'resourcesListChanged', method: 'notifications/resources/list_changed' },
} as const);

/** The open listen streams of one endpoint. */
export class ListenHub {
  private readonly listeners = new Set<Listener>();

  constructor(private readonly max: number) {}

  /** False when there are too many streams; one owner gets a sixteenth of them at most. */
  add(listener: Listener): boolean {
    if (this.listeners.size >= this.max) return false;
    const own = [...this.listeners].filter(({ owner }) => owner === listener.owner).length;
    if (own >= Math.max(1, this.max / 16)) return false;
    this.listeners.add(listener);
    return true;
  }

  remove(listener: Listener): void {
    this.listeners.delete(listener);
  }

  /** Tells every listener that asked for this and may know it. */
  async publish(event: ListenEvent): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => deliver(listener, event)));
  }

  /** Ends every stream in order. */
  close(): void {
    for (const listener of this.listeners) listener.close();
    this.listeners.clear();
  }
}

async function deliver(listener: Listener, event: ListenEvent): Promise<void> {
  const { filter, owner } = listener;
  switch (event.kind) {
    case 'resource':
      if (filter.resourceSubscriptions?.includes(event.uri) && (await listener.mayRead(event.uri))) {
        listener.notify('notifications/resources/updated', { uri: event.uri });
      }
      return;
    case 'task':
      if (owner === event.owner && filter.taskIds?.includes(event.taskId)) {
        listener.notify('notifications/tasks', event.task);
      }
      return;
    default:
      if (filter[LIST_CHANGED[event.kind].member] === true)
        listener.notify(LIST_CHANGED[event.kind].method, {});
  }
}
