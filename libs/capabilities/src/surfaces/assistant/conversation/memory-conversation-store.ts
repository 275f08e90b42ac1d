import { type ConversationRecord, ConversationStore } from '../../../execution/conversation-store.js';

/** Conversations of one process, gone with it. Records are kept as text, so nothing in them is shared. */
export class MemoryConversationStore extends ConversationStore {
  private readonly conversations = new Map<string, string>();
  private readonly approvals = new Map<string, Map<string, string>>();

  open(): void {}

  async find(owner: string, id: string): Promise<ConversationRecord | undefined> {
    return this.read(keyOf(owner, id));
  }

  async save(record: ConversationRecord, expected: number): Promise<boolean> {
    const key = keyOf(record.owner, record.id);
    if ((this.read(key)?.version ?? 0) !== expected) return false;
    this.conversations.set(key, JSON.stringify(record));
    return true;
  }

  async remove(owner: string, id: string): Promise<void> {
    this.conversations.delete(keyOf(owner, id));
    this.approvals.delete(keyOf(owner, id));
  }

  async remember(owner: string, conversation: string, toolCallId: string, approvalId: string): Promise<void> {
    const key = keyOf(owner, conversation);
    const calls = this.approvals.get(key) ?? new Map<string, string>();
    calls.set(toolCallId, approvalId);
    this.approvals.set(key, calls);
  }

  async recall(owner: string, conversation: string, toolCallId: string): Promise<string | undefined> {
    return this.approvals.get(keyOf(owner, conversation))?.get(toolCallId);
  }

  private read(key: string): ConversationRecord | undefined {
    const text = this.conversations.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as ConversationRecord);
  }
}

const keyOf = (owner: string, id: string): string => JSON.stringify([owner, id]);
